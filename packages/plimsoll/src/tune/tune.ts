import { PlimsollError } from '../errors.js';
import { readCgroup } from '../host/cgroup.js';
import { captureEnvironment } from '../host/environment.js';
import { DEFAULT_POOL_SIZE } from '../libuv/pool-size.js';
import { FIRST_LOOK } from '../stats/looks.js';
import { answer, type MeasuredTune, type Outcome, type TuneFacts } from './answer.js';
import { type App, startApp } from './app.js';
import { endpointOf } from './endpoint.js';
import { attachTo, boundedSizes } from './live/attached.js';
import { progressOf, type TuneContext, type TuneProcessRequest, type TuneRequest } from './request.js';
import { compareRuns, tooLong } from './runs.js';
import { measureServing } from './serving.js';
import { trafficText } from './traffic/source.js';

/** A server is measured while it runs, a command that ends in fresh processes. */
export function tuneCommand(request: TuneRequest, context: TuneContext): Promise<MeasuredTune> {
  const { command, traffic } = request;
  return concluded(request.timeMs, context, async () => {
    const { sizes, notes } = withinPidsLimit(request);
    const within = { ...request, sizes };
    const app = await startApp(within, context);
    let outcome: Outcome | null;
    try {
      outcome = await examine(app, within, context);
    } finally {
      await app.stop(context.signal);
    }
    outcome ??= await compareRuns(within, context);
    const subject = { command: [...command], pid: null, traffic: traffic && trafficText(traffic) };
    return { ...outcome, ...subject, notes: [...notes, ...outcome.notes] };
  });
}

/** A process that already serves real requests. Whatever happens, it gets the size back that it had. */
export function tuneProcess(request: TuneProcessRequest, context: TuneContext): Promise<MeasuredTune> {
  const { pid, objective, timeMs, seed } = request;
  return concluded(timeMs, context, async () => {
    const live = await attachTo(pid, context.guardian.temporaryDirectory(), context.signal);
    try {
      const baseline = request.baseline ?? live.pool.size ?? DEFAULT_POOL_SIZE;
      const wanted = new Set([...(request.sizes ?? boundedSizes(baseline)), baseline]);
      const question = { sizes: [...wanted].sort((a, b) => a - b), baseline, objective, timeMs, seed };
      const app = { live, endpoint: endpointOf(live.pids), ended: null, traffic: null };
      // Only what has ended well is no server.
      const outcome = (await measureServing(app, question, context)) as Outcome;
      return { ...outcome, command: null, pid, traffic: null };
    } finally {
      await live.close();
    }
  });
}

type Subject = Pick<TuneFacts, 'command' | 'pid'> & Pick<TuneFacts['method'], 'traffic'>;

async function concluded(
  timeMs: number,
  { onProgress }: TuneContext,
  measure: () => Promise<Outcome & Subject>,
): Promise<MeasuredTune> {
  const startMs = performance.now();
  const startedAt = new Date().toISOString();
  onProgress(progressOf({ phase: 'starting' }, startMs, timeMs));
  const environment = captureEnvironment({ directory: process.cwd() });
  const { samples, plan, notes, command, pid, ...how } = await measure();
  const mode = pid !== null ? 'attached' : how.processes === null ? 'runs' : 'live';
  const seconds = (performance.now() - startMs) / 1000;
  const method = { ...how, mode, timeMs, startedAt, seconds } as const;
  return answer(samples, plan, { environment, command, pid, method, notes });
}

async function examine(app: App, request: TuneRequest, context: TuneContext): Promise<Outcome | null> {
  const { traffic, timeMs, readyMs, sizes } = request;
  const patienceMs = timeMs / ((sizes.length + 1) * FIRST_LOOK);
  const nature = await app.nature(traffic === null ? timeMs : readyMs, patienceMs, context.signal);
  if (nature.is === 'unknown') {
    if (traffic === null) return tooLong(request, app.wallMs());
    throw new PlimsollError(
      'PLIMSOLL_TARGET_HUNG',
      `the command has not listened on a port within ${readyMs / 1000} s: does it need arguments, or another environment?`,
    );
  }
  const served =
    nature.is === 'serving'
      ? await measureServing({ ...app, endpoint: nature.endpoint, traffic }, request, context)
      : null;
  if (served !== null || traffic === null) return served;
  const before = nature.is === 'ended' ? 'it listened on a port: is it a server?' : 'the answer was known';
  throw new PlimsollError('PLIMSOLL_TARGET_FAILED', `the command ended (exit code 0) before ${before}`);
}

/** Threads that Node and the agent have beside those of the pool. */
const OTHER_THREADS = 16;

/** libuv aborts the process when it cannot create a thread. */
function withinPidsLimit({ sizes, baseline }: TuneRequest): Pick<TuneFacts, 'notes'> & { sizes: number[] } {
  const limit = (readCgroup().pidsHeadroom ?? Number.POSITIVE_INFINITY) - OTHER_THREADS;
  const [beyond, within] = [true, false].map((isBeyond) =>
    sizes.filter((size) => (size > limit && size !== baseline) === isBeyond),
  ) as [number[], number[]];
  return {
    sizes: within,
    notes: beyond.length === 0 ? [] : [{ id: 'tune.sizes-left-out', sizes: beyond, limit }],
  };
}
