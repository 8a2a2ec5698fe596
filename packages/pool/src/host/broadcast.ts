import { AbortError, badType } from '../errors.js';
import { isMovable } from '../shared/move.js';
import type { Core } from './core.js';
import { closed } from './faults.js';
import type { RunOptions } from './options.js';
import { type Checked, check, handlerOf, ownOf, submit } from './submit.js';
import { takesTasks } from './worker-handle.js';

/** Options of `broadcast()`. */
export type BroadcastOptions = Pick<RunOptions, 'name' | 'filename' | 'signal' | 'timeout' | 'grace'>;

/** What became of a broadcast in one worker. */
export type BroadcastResult<Value> =
  | { readonly threadId: number; readonly status: 'fulfilled'; readonly value: Value }
  | { readonly threadId: number; readonly status: 'rejected'; readonly reason: unknown };

/** A part is for its worker alone. */
const NEVER: Checked['retry'] = { codes: [], max: 0, backoff: 0 };
const TAKEN = ['name', 'filename', 'signal', 'timeout', 'grace'];

/** Runs a task once in each worker. @throws on bad options */
export function broadcast(
  core: Core,
  value: unknown,
  options: BroadcastOptions,
): Promise<BroadcastResult<unknown>[]> {
  const own = ownOf(options);
  for (const [name, given] of Object.entries(own)) {
    if (given !== undefined && !TAKEN.includes(name)) {
      throw badType(`options.${name}`, given, `left out: a broadcast takes ${TAKEN.join(', ')}`);
    }
  }
  if (isMovable(value)) throw badType('task', value, 'a value that is copied, for each worker');
  const checked = check(core, own);
  if (core.state.closing) throw closed();
  const { signal } = checked;
  if (signal !== undefined && (signal as AbortSignal).aborted) {
    throw new AbortError((signal as AbortSignal).reason);
  }
  const handler = handlerOf(core, checked);
  const parcel = { value, transfer: [], original: undefined };
  const parts = core.workers.filter(takesTasks).map(async (worker): Promise<BroadcastResult<unknown>> => {
    const { threadId } = worker;
    try {
      const part = { ...checked, retry: NEVER, worker };
      return { threadId, status: 'fulfilled', value: await submit(core, parcel, handler, part) };
    } catch (reason) {
      return { threadId, status: 'rejected', reason };
    }
  });
  return Promise.all(parts);
}
