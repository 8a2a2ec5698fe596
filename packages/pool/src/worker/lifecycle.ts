import { threadId } from 'node:worker_threads';
import { WorkerError } from '../errors.js';
import type { LifecycleHooks } from '../shared/messages.js';
import { messageOf } from '../shared/untrusted.js';

type Hook = () => unknown;

/** `setup()` of a worker file has failed. */
export class SetupFailure {
  readonly filename: string;
  readonly cause: unknown;

  constructor(filename: string, cause: unknown) {
    this.filename = filename;
    this.cause = cause;
  }

  /** What a task is rejected with that needs the file, in a worker that was ready without it. */
  forTask(taskName: string): WorkerError {
    const { filename, cause } = this;
    const message = `setup() of ${filename} failed: ${messageOf(cause)}`;
    const context = { threadId, taskName, filename };
    return new WorkerError('PLIMSOLL_POOL_START_FAILED', message, context, { cause });
  }
}

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

  /** A file has been loaded. Rejects with a SetupFailure, each time that it is asked. */
  enter(filename: string, hookOf: (name: string) => Promise<unknown>): Promise<void> {
    const known = this.#entered.get(filename) ?? this.#setUp(filename, hookOf);
    this.#entered.set(filename, known);
    return known;
  }

  async #setUp(filename: string, hookOf: (name: string) => Promise<unknown>): Promise<void> {
    try {
      const { setup: first, dispose: last } = this.#names;
      const setup = first === undefined ? undefined : await hookOf(first);
      if (typeof setup === 'function') await setup();
      const dispose = last === undefined ? undefined : await hookOf(last);
      if (typeof dispose !== 'function') return;
      this.#disposals.push(dispose as Hook);
      this.#onDispose();
    } catch (cause) {
      throw new SetupFailure(filename, cause);
    }
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
