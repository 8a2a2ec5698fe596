import { decode, encodeWithin } from '../shared/bytes.js';
import * as calls from '../shared/calls.js';
import type { FedValue } from '../shared/feeds.js';
import { move } from '../shared/move.js';
import { carriedBy } from './carried.js';
import type { Channel } from './channel.js';
import { awaited, functionOf, hookOf, namesOf } from './exported.js';
import { withFeeds } from './feed.js';
import type { Lifecycle } from './lifecycle.js';
import { loadModule } from './load-module.js';
import { type ObservedCalls, observedCalls } from './observed.js';
import { type Streams, streamsOf, withContext } from './streams.js';

/** Returns the function for the task in a slot. Calls that need their slot get a new function for each task. */
type Binder = (slot: number) => calls.TaskFunction;

export type Handlers = ReturnType<typeof handlersOf>;

/** The functions that tasks call, by handler number. A file is loaded at its first task, or when the worker starts. */
export function handlersOf(channel: Channel, lifecycle: Lifecycle) {
  const binders: (Binder | undefined)[] = [];
  let observed: ObservedCalls | undefined;
  let streams: Streams | undefined;

  function observing(): ObservedCalls {
    observed ??= observedCalls(channel);
    return observed;
  }

  function keeping(): Streams {
    streams ??= streamsOf(observing(), channel.index);
    return streams;
  }

  async function binder(id: number): Promise<Binder> {
    const { filename, name, call } = channel.handler(id);
    if ((call & calls.CONTINUED) !== 0) return keeping().step;
    const fn = around(filename, call, await find(filename, name, call));
    if ((call & calls.STREAMED) !== 0) return (opened) => keeping().opener(fn, opened);
    return (call & calls.OBSERVED) === 0 ? () => fn : (args) => observing().bind(fn, args);
  }

  async function find(filename: string, name: string, call: number): Promise<calls.TaskFunction> {
    const { value: exported } = await awaited((await loadModule(filename)).exports);
    await lifecycle.enter(filename, name, (hook) => hookOf(exported, hook));
    return (call & calls.LISTED) === 0
      ? functionOf(exported, filename, name)
      : () => namesOf(exported, filename);
  }

  function around(filename: string, call: number, fn: calls.TaskFunction): calls.TaskFunction {
    const called = calledAs(call, fn);
    const inner = (call & calls.STREAMED) === 0 ? called : withContext(called);
    return (call & calls.CARRIED) === 0 ? inner : carriedBy(channel, filename, inner);
  }

  return {
    /** Returns undefined if the function has not been loaded. */
    get(id: number, slot: number): calls.TaskFunction | undefined {
      return binders[id]?.(slot);
    },

    /** With slot -1 it only loads the file, for later tasks. @throws PoolError PLIMSOLL_POOL_LOAD_FAILED */
    async load(id: number, slot: number): Promise<calls.TaskFunction> {
      const bind = binders[id] ?? (await binder(id));
      binders[id] = bind;
      return bind(slot);
    },

    keepsAny: (): boolean => streams?.isEmpty() === false,
  };
}

function calledAs(call: number, fn: calls.TaskFunction): calls.TaskFunction {
  if ((call & calls.FED) !== 0) return (value) => fn(...withFeeds(value as FedValue));
  const spread: calls.TaskFunction =
    (call & calls.SPREAD) === 0 ? fn : (items) => fn(...(items as unknown[]));
  return (call & calls.BYTES) === 0 ? spread : (value) => overBytes(spread, value as calls.BytesCall);
}

/** Bytes below which copying is cheaper than transferring. */
const MOST_COPIED = 64 * 1024;

async function overBytes(fn: calls.TaskFunction, { task, most }: calls.BytesCall): Promise<unknown> {
  const result = encodeWithin(await fn(decode(task)), 'result', most);
  return typeof result === 'number' || result.length < MOST_COPIED ? result : move(result);
}
