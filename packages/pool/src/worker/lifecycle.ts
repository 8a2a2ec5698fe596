import { threadId } from 'node:worker_threads';
import { WorkerError } from '../errors.js';
import type { LifecycleHooks } from '../shared/messages.js';
import { messageOf } from '../shared/untrusted.js';

type Hook = () => unknown;

/** What a task is rejected with that needs a file whose `setup()` has failed. */
export const setupFailure = (filename: string, taskName: string, cause: unknown): WorkerError =>
  new WorkerError(
    'PLIMSOLL_POOL_START_FAILED',
    `setup() of ${filename} failed: ${messageOf(cause)}`,
    { threadId, taskName, filename },
    { cause },
  );

/** What worker files do once in each worker: `setup()` before their first task, `dispose()` before the worker ends, or as they are called. */
export class Lifecycle {
  readonly #entered = new Map<string, Promise<void>>();
  readonly #disposals: Hook[] = [];
  readonly #names: LifecycleHooks;
  readonly #onDispose: () => void;

  /** @param onDispose there is something to dispose of */
  constructor(names: LifecycleHooks, onDispose: () => void) {
    this.#names = names;
    this.#onDispose = onDispose;
  }

  /** A file has been loaded. Rejects with what its `setup()` throws, each time that it is asked. */
  enter(filename: string, hookOf: (name: string) => Promise<unknown>): Promise<void> {
    const known = this.#entered.get(filename) ?? this.#setUp(hookOf);
    this.#entered.set(filename, known);
    return known;
  }

  async #setUp(hookOf: (name: string) => Promise<unknown>): Promise<void> {
    const { setup: first, dispose: last } = this.#names;
    const setup = first === undefined ? undefined : await hookOf(first);
    if (typeof setup === 'function') await setup();
    const dispose = last === undefined ? undefined : await hookOf(last);
    if (typeof dispose !== 'function') return;
    this.#disposals.push(dispose as Hook);
    this.#onDispose();
  }

  /** Disposes of all files, the last one first, whatever others throw. Rejects with the first error. */
  async dispose(): Promise<void> {
    const errors: unknown[] = [];
    for (const dispose of this.#disposals.splice(0).reverse()) {
      try {
        await dispose();
      } catch (error) {
        errors.push(error);
      }
    }
    if (errors.length > 0) throw errors[0];
  }
}
