import type { AsyncLocalStorage } from 'node:async_hooks';
import { AbortError } from '../errors.js';
import type { TaskFunction } from '../shared/calls.js';
import { restore, type Thrown } from '../shared/error-record.js';
import { SEQUENCE } from '../shared/layout.js';
import { isAsked, slotAt, type Table } from '../shared/table.js';
import { provideContext, type TaskContext } from '../shared/task-context.js';
import type { Channel } from './channel.js';

/** Calls that can be asked to end: the other end of the host's `Ladder`. */
export class ObservedCalls {
  readonly #running = new Map<number, Observed>();
  readonly #storage: AsyncLocalStorage<TaskContext>;
  readonly #table: Table;
  readonly #channel: Channel;

  constructor(table: Table, channel: Channel) {
    this.#table = table;
    this.#channel = channel;
    // Not imported above: to load it and to follow promises costs workers that need it alone.
    const { AsyncLocalStorage } = process.getBuiltinModule('node:async_hooks');
    this.#storage = new AsyncLocalStorage();
    provideContext(() => this.#storage.getStore());
    channel.onAbort = (slot, sequence, thrown) => this.#abort(slot, sequence, thrown);
  }

  /** The function for the task in one slot. */
  bind(found: TaskFunction, slot: number): TaskFunction {
    return (value) => {
      const isAborted = () => isAsked(this.#table, slot);
      const observed = new Observed(isAborted, () => this.#channel.readAll());
      if (isAborted()) throw new AbortError();
      this.#running.set(slot, observed);
      return this.#ended(slot, observed, () => this.#storage.run(observed, found, value));
    };
  }

  #ended(slot: number, observed: Observed, run: () => unknown): unknown {
    let result: unknown;
    let isThenable = false;
    try {
      result = run();
      isThenable = typeof (result as { then?: unknown } | null | undefined)?.then === 'function';
    } finally {
      if (!isThenable) this.#end(slot, observed);
    }
    return isThenable ? this.#settled(slot, observed, result) : result;
  }

  async #settled(slot: number, observed: Observed, result: unknown): Promise<unknown> {
    try {
      return await result;
    } finally {
      this.#end(slot, observed);
    }
  }

  #end(slot: number, observed: Observed): void {
    observed.end();
    this.#running.delete(slot);
  }

  #abort(slot: number, sequence: number, thrown: Thrown): void {
    const observed = this.#running.get(slot);
    // It has ended meanwhile, or not begun: then it will see that it was asked.
    if (observed === undefined || this.#sequenceOf(slot) !== sequence) return;
    this.#storage.run(observed, () => observed.abort(restore(thrown)));
  }

  #sequenceOf(slot: number): number {
    return this.#table.words[slotAt(this.#table.layout, slot) + SEQUENCE] as number;
  }
}

/** What the function of one task sees of it. */
class Observed implements TaskContext {
  #isAborted = false;
  #hasEnded = false;
  #controller: AbortController | undefined;
  #reason: unknown;
  readonly #isAsked: () => boolean;
  readonly #hear: () => void;

  constructor(isAsked: () => boolean, hear: () => void) {
    this.#isAsked = isAsked;
    this.#hear = hear;
  }

  get aborted(): boolean {
    if (this.#isAborted || this.#hasEnded || !this.#isAsked()) return this.#isAborted;
    // The reason was posted before the slot was marked. It aborts the signal as well.
    this.#hear();
    return true;
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.aborted) this.#controller.abort(this.#reason);
    }
    return this.#controller.signal;
  }

  abort(reason: unknown): void {
    this.#isAborted = true;
    this.#reason = reason;
    this.#controller?.abort(reason);
  }

  /** Its slot belongs to others from now on. */
  end(): void {
    this.#hasEnded = true;
  }
}
