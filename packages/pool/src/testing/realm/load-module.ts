import { cannotLoad } from '../../worker/load-error.js';
import * as real from '../../worker/load-module.js';
import { simulation } from './here.js';

/** By the test's own function, if it has one for the file. */
export const loadModule: typeof real.loadModule = async (name) => {
  let exports: unknown;
  try {
    exports = await simulation.load?.(name, simulation.loader);
  } catch (cause) {
    throw cannotLoad(name, cause);
  }
  return exports === undefined ? real.loadModule(name) : { exports };
};
