import type { AsyncLocalStorage } from 'node:async_hooks';
import { AbortError, PoolError } from '../errors.js';
import { isThenable, NEXT, type StreamStep, type TaskFunction, withEnd } from '../shared/calls.js';
import { isEnd } from '../shared/feeds.js';
import { isMovable, move, transferableSymbol, unwrap, valueSymbol } from '../shared/move.js';
import type { Observed, ObservedCalls } from './observed.js';

type Steps = Iterator<unknown> | AsyncIterator<unknown>;

type RunInContext = ReturnType<typeof AsyncLocalStorage.snapshot>;

/** An iterable that a function returned, and the async context of that call. */
interface Opened {
  readonly steps: Steps;
  readonly within: RunInContext;
}

interface Stream extends Opened {
  readonly observed: Observed;
}

export const withContext = (fn: TaskFunction) => (value: unknown) => {
  const within = process.getBuiltinModule('node:async_hooks').AsyncLocalStorage.snapshot();
  return after(fn(value), (iterable): Opened => ({ steps: stepsOf(iterable), within }));
};

export type Streams = ReturnType<typeof streamsOf>;

export function streamsOf(calls: ObservedCalls, worker: number) {
  const iterables = new Map<number, Stream>();
  let ids = 0;

  function forget(id: number, { observed }: Stream): void {
    iterables.delete(id);
    observed.isKept = false;
  }

  const next = (id: number, stream: Stream): unknown =>
    withEnd(
      () => after(stream.steps.next(), (result) => settleStep(id, stream, result)),
      (isFailed) => {
        if (isFailed) forget(id, stream);
      },
    );

  function settleStep(id: number, stream: Stream, result: IteratorResult<unknown>): unknown {
    // Awaits promises among the items, like `for await`.
    if (!isEnd(result)) return after(result.value, itemOf);
    forget(id, stream);
    return ENDED;
  }

  function end(id: number, stream: Stream): unknown {
    const { steps, observed } = stream;
    forget(id, stream);
    observed.abort(new AbortError(undefined, 'The stream was closed'));
    return after(steps.return?.(), () => ENDED);
  }

  return {
    isEmpty: (): boolean => iterables.size === 0,

    /** Opens a stream. The task's result is the worker's index and the stream's number. */
    opener(fn: TaskFunction, slot: number): TaskFunction {
      return async (value) => {
        const observed = calls.observe();
        observed.isKept = true;
        const opened = (await calls.during(slot, observed, () => fn(value))) as Opened;
        const id = ids++;
        iterables.set(id, { ...opened, observed });
        return [worker, id];
      };
    },

    step(slot: number): TaskFunction {
      return (step) => {
        const [what, id] = step as StreamStep;
        const stream = iterables.get(id);
        if (stream === undefined) return ENDED;
        const go = (): unknown => (what === NEXT ? next(id, stream) : end(id, stream));
        return calls.during(slot, stream.observed, () => stream.within(go));
      };
    },
  };
}

/** Applies `become` now, or later to the value of a promise. */
const after = <Value, Result>(
  value: Value | PromiseLike<Value>,
  become: (value: Value) => Result,
): Result | Promise<Result> =>
  isThenable(value) ? Promise.resolve(value).then(become) : become(value as Value);

const ENDED = [true];

/** The message for an item. What `move` has marked is transferred. */
function itemOf(value: unknown): unknown {
  if (!isMovable(value)) return [false, value];
  const moved = unwrap(value);
  return move({ [transferableSymbol]: moved.transfer, [valueSymbol]: [false, moved.value] });
}

function stepsOf(iterable: unknown): Steps {
  const methods = Object(iterable) as Partial<AsyncIterable<unknown> & Iterable<unknown>>;
  for (const method of [Symbol.asyncIterator, Symbol.iterator] as const)
    if (typeof methods[method] === 'function') return methods[method]() as Steps;
  const message =
    'stream() needs a function that returns an iterable: a generator, an async iterable, a ReadableStream';
  throw new PoolError('PLIMSOLL_POOL_NOT_ITERABLE', message);
}
