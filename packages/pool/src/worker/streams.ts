import { threadId } from 'node:worker_threads';
import { AbortError, PoolError } from '../errors.js';
import { NEXT, type StreamStep, type TaskFunction } from '../shared/calls.js';
import { isMovable, move, transferableSymbol, unwrap, valueSymbol } from '../shared/move.js';
import type { Observed, ObservedCalls } from './observed.js';

type Steps = Iterator<unknown> | AsyncIterator<unknown>;

/** Calls something in some stores of AsyncLocalStorages. */
type Within = <Result>(call: () => Result) => Result;

/** An iterable that a task has returned. */
interface Kept {
  readonly steps: Steps;
  readonly within: Within;
  /** What its code knows of itself, from the first call on. */
  readonly observed: Observed;
}

const isThenable = (value: unknown): value is PromiseLike<unknown> =>
  typeof (value as { then?: unknown } | null | undefined)?.then === 'function';

/** What a function has returned, and the stores in which it was called. */
class Placed {
  readonly made: unknown;
  readonly within: Within;

  constructor(made: unknown, within: Within) {
    this.made = made;
    this.within = within;
  }
}

const here: Within = (call) => call();

/** A function that is called in stores in which what it returns shall be iterated. */
export function placed(found: TaskFunction): TaskFunction {
  return (value) => {
    const within: Within = process.getBuiltinModule('node:async_hooks').AsyncLocalStorage.snapshot();
    const made = found(value);
    if (!isThenable(made)) return new Placed(made, within);
    return Promise.resolve(made).then((later) => new Placed(later, within));
  };
}

/** The iterables that this worker keeps for streams of the host. */
export class Streams {
  readonly #kept = new Map<number, Kept>();
  #ids = 0;
  readonly #calls: ObservedCalls;

  constructor(calls: ObservedCalls) {
    this.#calls = calls;
  }

  get size(): number {
    return this.#kept.size;
  }

  /** The function for the task in one slot that opens a stream. It gives this thread's id, and the number of the stream. */
  opener(found: TaskFunction, slot: number): TaskFunction {
    return async (value) => {
      const observed = this.#calls.observe();
      const result = await this.#calls.during(slot, observed, () => found(value));
      const { made, within } = result instanceof Placed ? result : new Placed(result, here);
      const steps = within(() => stepsOf(made));
      const id = this.#ids++;
      this.#kept.set(id, { steps, within, observed });
      return [threadId, id];
    };
  }

  /** The function for the task in one slot that continues a stream. */
  step(slot: number): TaskFunction {
    return (given) => {
      const [what, id] = given as StreamStep;
      const kept = this.#kept.get(id);
      if (kept === undefined) return ENDED;
      return this.#calls.during(slot, kept.observed, () =>
        kept.within(() => (what === NEXT ? this.#next(id, kept) : this.#return(id, kept))),
      );
    };
  }

  #next(id: number, { steps }: Kept): unknown {
    try {
      const result = steps.next();
      return isThenable(result) ? this.#later(id, result) : this.#given(id, result);
    } catch (error) {
      this.#kept.delete(id);
      throw error;
    }
  }

  async #later(id: number, result: PromiseLike<IteratorResult<unknown>>): Promise<unknown> {
    try {
      return await this.#given(id, await result);
    } catch (error) {
      this.#kept.delete(id);
      throw error;
    }
  }

  #given(id: number, result: IteratorResult<unknown>): unknown {
    if (typeof result !== 'object' || result === null)
      throw new TypeError(`Iterator result ${String(result)} is not an object`);
    const { done, value } = result;
    if (done === true) {
      this.#kept.delete(id);
      return ENDED;
    }
    // As `for await` does with the items of an iterable that is not asynchronous.
    return isThenable(value)
      ? this.#later(
          id,
          Promise.resolve(value).then((item) => ({ done: false, value: item })),
        )
      : itemOf(value);
  }

  #return(id: number, { steps, observed }: Kept): unknown {
    this.#kept.delete(id);
    observed.abort(new AbortError(undefined, 'The stream was closed'));
    const result = steps.return?.();
    return isThenable(result) ? Promise.resolve(result).then(() => ENDED) : ENDED;
  }
}

const ENDED = [true];

/** What the host reads as an item. What was marked by `move` is transferred. */
function itemOf(value: unknown): unknown {
  if (!isMovable(value)) return [false, value];
  const moved = unwrap(value);
  return move({ [transferableSymbol]: moved.transfer, [valueSymbol]: [false, moved.value] });
}

function stepsOf(made: unknown): Steps {
  const methods = Object(made) as Partial<AsyncIterable<unknown> & Iterable<unknown>>;
  if (typeof methods[Symbol.asyncIterator] === 'function') return methods[Symbol.asyncIterator]?.() as Steps;
  if (typeof methods[Symbol.iterator] === 'function') return methods[Symbol.iterator]?.() as Steps;
  const message =
    'stream() needs a function that returns an iterable: a generator, an async iterable, a ReadableStream';
  throw new PoolError('PLIMSOLL_POOL_NOT_ITERABLE', message);
}
