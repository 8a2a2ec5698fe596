import { PlimsollError } from '../errors.js';
import { readCgroup } from '../host/cgroup.js';
import { captureEnvironment } from '../host/environment.js';
import { FIRST_LOOK } from '../stats/looks.js';
import { answer, type MeasuredTune, type TuneFacts, type TuneNote } from './answer.js';
import { App } from './app.js';
import type { TuneContext, TuneRequest } from './request.js';
import { type Compared, compareRuns, minutesOf } from './runs.js';
import { measureServing, type Served } from './serving.js';

/** An app that is to get requests of ours listens within this time, or never. */
const READY_MS = 60_000;
/** Threads that Node and the agent have beside those of the pool. */
const OTHER_THREADS = 16;

/**
 * Find out which size suits a command: a server is measured while it runs, a command that ends in fresh processes.
 *
 * @throws {PlimsollError} PLIMSOLL_TARGET_FAILED when it does not come up or fails; PLIMSOLL_TARGET_HUNG when no port opens; what
 * `measureServing` and `compareRuns` throw.
 * @throws the reason of the signal, when it aborts before anything was measured.
 */
export async function tuneCommand(asked: TuneRequest, context: TuneContext): Promise<MeasuredTune> {
  const startedAt = new Date();
  const startMs = performance.now();
  const environment = captureEnvironment({ directory: process.cwd() });
  const { request, notes } = withinLimits(asked);
  context.onProgress({
    phase: 'starting',
    at: null,
    blocks: 0,
    known: null,
    share: 0,
    leftMs: request.timeMs,
  });
  const app = await App.start(request, context);
  let outcome: Served | Compared | null;
  try {
    outcome = await examine(app, request, context);
  } finally {
    await app.stop(context.signal);
  }
  outcome ??= await compareRuns(request, context);
  const facts: TuneFacts = {
    environment,
    command: request.command,
    pid: null,
    method: {
      mode: outcome.processes === null ? 'runs' : 'live',
      timeMs: request.timeMs,
      traffic: trafficText(request),
      resizing: null,
      processes: outcome.processes,
      startedAt: startedAt.toISOString(),
      seconds: (performance.now() - startMs) / 1000,
      stop: outcome.stop,
    },
    notes: [...notes, ...outcome.notes],
  };
  return answer(outcome.samples, outcome.plan, facts);
}

/** @returns null for a command that ends. */
async function examine(
  app: App,
  request: TuneRequest,
  context: TuneContext,
): Promise<Served | Compared | null> {
  const { traffic, timeMs, sizes, baseline, objective, seed } = request;
  const patienceMs = timeMs / ((sizes.length + 1) * FIRST_LOOK);
  const nature = await app.nature(traffic === null ? timeMs : READY_MS, patienceMs, context.signal);
  if (nature.is === 'unknown') {
    if (traffic !== null)
      throw new PlimsollError(
        'PLIMSOLL_TARGET_HUNG',
        `the command has not listened on a port within ${READY_MS / 1000} s`,
      );
    const plan = { sizes, baseline, objective, seed, mostBlocks: FIRST_LOOK };
    const minutes = minutesOf(app.wallMs, sizes.length);
    return {
      samples: [],
      plan,
      stop: 'time',
      processes: null,
      notes: [{ id: 'tune.needs-minutes', minutes }],
    };
  }
  const served =
    nature.is === 'serving' ? await measureServing(app, nature.endpoint, request, context) : null;
  if (served === null && traffic !== null)
    throw new PlimsollError(
      'PLIMSOLL_TARGET_FAILED',
      nature.is === 'ended'
        ? 'the command ended (exit code 0) before it listened on a port: is it a server?'
        : 'the command ended (exit code 0) before enough was known',
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

function trafficText({ traffic }: TuneRequest): string | null {
  if (traffic === null) return null;
  return traffic.from === 'command' ? traffic.words.join(' ') : traffic.urls.join(', ');
}
