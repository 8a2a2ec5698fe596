import { type Hold, holdByPort, setImmediateByPort } from './port-timers.js';

const { setTimeout, clearTimeout, setInterval, setImmediate, clearImmediate } =
  process.getBuiltinModule('node:timers');

const holdByTimer = (): Hold => setInterval(() => {}, 0x7fffffff).unref();

/** Fakes do not return an object of Node's documented class. */
function isFaked(): boolean {
  const immediate = setImmediate(() => {});
  clearImmediate(immediate);
  return immediate.constructor.name !== 'Immediate';
}

const areFaked = isFaked();

/**
 * Node's own timers, taken when this module loads: a test runner may put fake ones in their place (node:test, jest, sinon) or take
 * them back while the pool has tasks, and the pool must go on. Not the globals, because jest's are fakes from the start when its
 * configuration says so. When the pool is imported after node:test or sinon has faked Node's own, what it cannot do without
 * is made of something else, and timeouts are those of the fakes.
 */
export const timers = {
  setTimeout,
  clearTimeout,
  setImmediate: areFaked ? setImmediateByPort : setImmediate,
  hold: areFaked ? holdByPort : holdByTimer,
};
