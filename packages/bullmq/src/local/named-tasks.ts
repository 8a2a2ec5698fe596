import { AbortError, PoolError, TimeoutError, UncloneableError, WorkerError } from '@plimsoll/pool';
import { now, watch } from '@plimsoll/pool/internal';
import type { CheckedRun } from '../shared/options.js';

/** Runs a task in the pool of this process. */
export type Call = (
  options: Pick<CheckedRun, 'signal' | 'timeout' | 'grace' | 'priority'>,
) => Promise<unknown>;

/** Calls again what has thrown, as often as `attempts` allows; the timeout is that of all of them. */
export async function repeated(
  { signal, timeout, grace, priority, attempts, name }: CheckedRun,
  call: Call,
): Promise<unknown> {
  const start = now();
  let thrown: unknown;
  for (let attempt = 1; ; attempt++) {
    const left = timeout === undefined ? undefined : Math.max(0, timeout - (now() - start));
    try {
      return await call({ signal, timeout: left, grace, priority });
    } catch (error) {
      if (error instanceof TimeoutError && timeout !== undefined) throw new TimeoutError(timeout, name);
      if (error instanceof AbortError || error instanceof TimeoutError) throw error;
      if (isOfPool(error)) throw attempt === 1 ? error : thrown;
      if (attempt >= attempts) throw error;
      thrown = error;
    }
  }
}

/** The task has not run, and would be refused again at once, as often as it may run: the pool closes, its queue is full. */
const isOfPool = (error: unknown): boolean =>
  error instanceof PoolError &&
  !(error instanceof WorkerError) &&
  !(error instanceof UncloneableError && error.path.startsWith('result'));

interface NamedTask {
  readonly result: Promise<unknown>;
  readonly controller: AbortController;
  waiters: number;
}

/** Tasks that wait or run, by their `jobId`: each runs once, and ends when no caller waits for it any more. */
export class NamedTasks {
  readonly #byId = new Map<string, NamedTask>();

  run(id: string, checked: CheckedRun, call: Call): Promise<unknown> {
    if ((checked.signal as AbortSignal | undefined)?.aborted) {
      return Promise.reject(new AbortError((checked.signal as AbortSignal).reason));
    }
    const task = this.#byId.get(id) ?? this.#start(id, checked, call);
    task.waiters++;
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        if (--task.waiters === 0) this.#forget(id, task);
      };
      const end = (reason: unknown): void => {
        unwatch();
        reject(reason);
        leave();
      };
      const unwatch = watch(end, checked.name, checked.signal, checked.timeout);
      // Several get one of their own each, as from a fleet.
      const own = (value: unknown): unknown => (task.waiters === 1 ? value : structuredClone(value));
      task.result.then(own).finally(unwatch).then(resolve, reject);
    });
  }

  #start(id: string, checked: CheckedRun, call: Call): NamedTask {
    const controller = new AbortController();
    const { signal } = controller;
    const result = repeated({ ...checked, signal, timeout: undefined }, call);
    const task = { result, controller, waiters: 0 };
    this.#byId.set(id, task);
    const forget = (): void => this.#forget(id, task);
    result.then(forget, forget);
    return task;
  }

  #forget(id: string, task: NamedTask): void {
    if (this.#byId.get(id) === task) this.#byId.delete(id);
    task.controller.abort();
  }
}
