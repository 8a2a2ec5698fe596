/** What a task that runs can know about itself. */
export interface TaskContext {
  /**
   * Shall the task end? Read from shared memory, so it changes inside a loop that never returns to the event loop, too.
   * Always false without `grace`, for then the worker is stopped at once.
   */
  readonly aborted: boolean;
  /** Aborted when the task shall end. Its reason is that of the caller's signal, or a TimeoutError. */
  readonly signal: AbortSignal;
}

const KEY = Symbol.for('plimsoll.pool.task');
const registry = globalThis as { [KEY]?: () => TaskContext | undefined };

/** Called in a worker by the first task that has a context. `_end` is for pools that end before their thread does. */
export function provideContext(current: () => TaskContext | undefined, _end?: () => void): void {
  registry[KEY] = current;
}

/** Kept on the global object, because worker files load a copy of their own of whatever asks for it. */
export const currentContext = (): TaskContext | undefined => registry[KEY]?.();
