import { PlimsollError } from '../errors.js';
import { readCgroup } from '../host/cgroup.js';
import { captureEnvironment } from '../host/environment.js';
import { DEFAULT_POOL_SIZE } from '../libuv/pool-size.js';
import { FIRST_LOOK } from '../stats/looks.js';
import { answer, type MeasuredTune, type Outcome, type TuneFacts, type TuneNote } from './answer.js';
import { App } from './app.js';
import { endpointOf } from './endpoint.js';
import { attachTo, boundedSizes } from './live/attached.js';
import type { PoolState } from './live/target.js';
import type { TuneContext, TuneProcessRequest, TuneQuestion, TuneRequest } from './request.js';
import { compareRuns, tooLong } from './runs.js';
import { measureServing } from './serving.js';
import { trafficText } from './traffic/open.js';

/** Threads that Node and the agent have beside those of the pool. */
const OTHER_THREADS = 16;

/** A server is measured while it runs, a command that ends in fresh processes. */
export async function tuneCommand(asked: TuneRequest, context: TuneContext): Promise<MeasuredTune> {
  const answerOf = begin(asked, context);
  const { request, notes } = withinLimits(asked);
  const { command, traffic } = request;
  const app = await App.start(request, context);
  let outcome: Outcome | null;
  try {
    outcome = await examine(app, request, context);
  } finally {
    await app.stop(context.signal);
  }
  outcome ??= await compareRuns(request, context);
  const sender = traffic === null ? null : trafficText(traffic);
  return answerOf(outcome, { command, pid: null, traffic: sender }, notes);
}

/**
 * Find out which size suits a process that serves real requests already. Whatever happens, it gets the size back that it had.
 */
export async function tuneProcess(request: TuneProcessRequest, context: TuneContext): Promise<MeasuredTune> {
  const { pid } = request;
  const { guardian, signal } = context;
  const answerOf = begin(request, context);
  const directory = guardian.temporaryDirectory();
  const live = await attachTo(pid, directory, signal);
  try {
    const { question, notes } = questionOf(request, await live.state());
    const app = { live, endpoint: endpointOf(live.pids), ended: null, traffic: null };
    // Only what has ended well is no server.
    const outcome = (await measureServing(app, question, context)) as Outcome;
    return answerOf(outcome, { command: null, pid, traffic: null }, notes);
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
  const wanted = [...new Set([...(sizes ?? boundedSizes(from)), from])].sort((a, b) => a - b);
  const beyond = wanted.filter((one) => one > limit);
  return {
    question: { sizes: wanted.filter((one) => one <= limit), baseline: from, objective, timeMs, seed },
    notes: beyond.length === 0 ? [] : [{ id: 'tune.sizes-left-out', sizes: beyond, because: 'limit', limit }],
  };
}

type Subject = Pick<TuneFacts, 'command' | 'pid'> & Pick<TuneFacts['method'], 'traffic'>;

function begin({ timeMs }: Pick<TuneQuestion, 'timeMs'>, { onProgress }: TuneContext) {
  onProgress({ phase: 'starting', at: null, blocks: 0, known: null, share: 0, leftMs: timeMs });
  const environment = captureEnvironment({ directory: process.cwd() });
  const [startedAt, startMs] = [new Date().toISOString(), performance.now()];
  return (
    outcome: Outcome,
    { command, pid, traffic }: Subject,
    earlier: readonly TuneNote[],
  ): MeasuredTune => {
    const { samples, plan, processes, resizing, stop } = outcome;
    const mode = pid !== null ? 'attached' : processes === null ? 'runs' : 'live';
    const seconds = (performance.now() - startMs) / 1000;
    const method = { mode, timeMs, traffic, processes, resizing, stop, startedAt, seconds } as const;
    const notes = [...earlier, ...outcome.notes];
    return answer(samples, plan, { environment, command, pid, method, notes });
  };
}

async function examine(app: App, request: TuneRequest, context: TuneContext): Promise<Outcome | null> {
  const { traffic, timeMs, readyMs, sizes } = request;
  const patienceMs = timeMs / ((sizes.length + 1) * FIRST_LOOK);
  const nature = await app.nature(traffic === null ? timeMs : readyMs, patienceMs, context.signal);
  if (nature.is === 'unknown') {
    if (traffic !== null)
      throw new PlimsollError(
        'PLIMSOLL_TARGET_HUNG',
        `the command has not listened on a port within ${readyMs / 1000} s: does it need arguments, or another environment?`,
      );
    return tooLong(request, app.wallMs);
  }
  const { live, ended } = app;
  const served =
    nature.is === 'serving'
      ? await measureServing({ live, endpoint: nature.endpoint, ended, traffic }, request, context)
      : null;
  if (served === null && traffic !== null)
    throw new PlimsollError(
      'PLIMSOLL_TARGET_FAILED',
      nature.is === 'ended'
        ? 'the command ended (exit code 0) before it listened on a port: is it a server?'
        : 'the command ended (exit code 0) before the answer was known',
    );
  return served;
}

/** libuv aborts the process when it cannot create a thread. */
function withinLimits(request: TuneRequest): { readonly request: TuneRequest; readonly notes: TuneNote[] } {
  const { pidsHeadroom } = readCgroup();
  const limit = pidsHeadroom === null ? Number.POSITIVE_INFINITY : pidsHeadroom - OTHER_THREADS;
  const tooLarge = request.sizes.filter((size) => size > limit && size !== request.baseline);
  if (tooLarge.length === 0) return { request, notes: [] };
  return {
    request: { ...request, sizes: request.sizes.filter((size) => !tooLarge.includes(size)) },
    notes: [{ id: 'tune.sizes-left-out', sizes: tooLarge, because: 'pids', limit }],
  };
}
