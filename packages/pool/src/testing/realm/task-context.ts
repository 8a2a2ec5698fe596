import * as real from '../../shared/task-context.js';
import { simulation } from './here.js';

export type { TaskContext } from '../../shared/task-context.js';
export const { currentContext } = real;

export const provideContext: typeof real.provideContext = (current, end) =>
  simulation.contexts.add(current, end);
