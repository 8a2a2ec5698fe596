import { DEFAULT_POOL_SIZE } from '../libuv/pool-size.js';
import type { TuneNote } from './answer.js';
import { endpointOf } from './endpoint.js';
import { attachTo, boundedSizes } from './live/attached.js';
import type { PoolState } from './live/target.js';
import type { Outcome } from './outcome.js';
import type { TuneContext, TuneProcessRequest, TuneQuestion } from './request.js';
import { measureServing } from './serving.js';

/**
 * Compare sizes in a process that serves real requests. Whatever happens, it gets the size back that it had.
 *
 * @throws {PlimsollError} what attaching to it, `measureServing` and resizing throw.
 */
export async function measureProcess(request: TuneProcessRequest, context: TuneContext): Promise<Outcome> {
  const { guardian, signal } = context;
  const directory = guardian.temporaryDirectory();
  const live = await attachTo(request.pid, directory, signal);
  try {
    const { question, notes } = questionOf(request, await live.state());
    const app = { live, endpoint: endpointOf(live.pids), ended: null, traffic: null };
    // Only what has ended well is no server.
    const served = (await measureServing(app, question, context)) as Outcome;
    return { ...served, notes: [...notes, ...served.notes] };
  } finally {
    await live.close();
    guardian.remove(directory);
  }
}

function questionOf(
  { sizes, baseline, objective, timeMs, seed }: TuneProcessRequest,
  { size, limit }: PoolState,
): { readonly question: TuneQuestion; readonly notes: TuneNote[] } {
  const from = baseline ?? size ?? Math.min(DEFAULT_POOL_SIZE, limit);
  const wanted = [...new Set([...(sizes ?? boundedSizes(from, Number.POSITIVE_INFINITY)), from])].sort(
    (a, b) => a - b,
  );
  const beyond = wanted.filter((one) => one > limit);
  return {
    question: { sizes: wanted.filter((one) => one <= limit), baseline: from, objective, timeMs, seed },
    notes: beyond.length === 0 ? [] : [{ id: 'tune.sizes-left-out', sizes: beyond, because: 'limit', limit }],
  };
}
