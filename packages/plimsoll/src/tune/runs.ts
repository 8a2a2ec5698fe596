import { setTimeout as sleep } from 'node:timers/promises';
import { PlimsollError } from '../errors.js';
import { endedChildrenSeconds } from '../host/processes.js';
import { startCommand } from '../lab/command.js';
import type { Supervision } from '../lab/guardian.js';
import { FIRST_LOOK } from '../stats/looks.js';
import { createRandom, type Random } from '../stats/random.js';
import type { Outcome } from './answer.js';
import { judge } from './judge.js';
import { contest } from './live/contest.js';
import { progressOf, type TuneContext, type TuneQuestion, type TuneRequest } from './request.js';
import type { CommandRun } from './sample.js';

/** A run that takes so many times as long as the longest at the baseline is ended: its size is hopeless. */
const CUT_OFF = 5;
const LEAST_CUT_OFF_MS = 1_000;
const FRESH = { processes: null, resizing: null } as const;

/** The first run fills the caches of the disk and is not compared. No samples and a note when the time does not suffice. */
export async function compareRuns(request: TuneRequest, context: TuneContext): Promise<Outcome> {
  const { command, sizes, baseline, seed, timeMs } = request;
  const { signal, onProgress } = context;
  const random = createRandom(seed);
  const time = (size: number, mostMs: number) => timeCommand(command, size, mostMs, { ...context, random });
  const startMs = performance.now();
  onProgress(progressOf({ phase: 'warming up' }, startMs, timeMs));
  const first = await time(baseline, timeMs);
  const leftMs = timeMs - (performance.now() - startMs);
  if (first.isCutOff || leastMs(first.wallMs, sizes.length) > leftMs) return tooLong(request, first.wallMs);

  let longestMs = first.wallMs;
  const { results, plan, ending } = await contest<CommandRun>({
    question: { ...request, timeMs: leftMs },
    random,
    signal,
    async measure({ mostMs: _, ...place }) {
      const isBaseline = place.size === baseline;
      const mostMs = isBaseline ? leftMs : Math.max(LEAST_CUT_OFF_MS, CUT_OFF * longestMs);
      const { wallMs, cpuSeconds } = await time(place.size, mostMs);
      if (isBaseline) longestMs = Math.max(longestMs, wallMs);
      return { ...place, wallMs, cpuSeconds, disturbed: false };
    },
    judge,
    onStanding: ({ blocks, known }) =>
      onProgress(progressOf({ phase: 'measuring', blocks, known }, startMs, timeMs)),
  });
  if (results.length === 0) signal.throwIfAborted();
  return { samples: results, plan, stop: ending, ...FRESH, notes: [] };
}

/** Nothing can be compared, because one run takes so long, or longer. */
export function tooLong(question: TuneQuestion, wallMs: number): Outcome {
  // Enough for the answer to be known more often than not: three times the least.
  const minutes = Math.ceil((3 * leastMs(wallMs, question.sizes.length)) / 60_000);
  const plan = { ...question, mostBlocks: FIRST_LOOK };
  return { samples: [], plan, stop: 'time', ...FRESH, notes: [{ id: 'tune.needs-minutes', minutes }] };
}

/** The least that a comparison takes: every size and the twin in each of the blocks before the first look. */
const leastMs = (wallMs: number, sizes: number): number => wallMs * (sizes + 1) * FIRST_LOOK;

/** What was not cut off has a wall time; CPU time, of all that it waited for, too, is not known everywhere. */
export interface CommandTimes extends Pick<CommandRun, 'wallMs' | 'cpuSeconds'> {
  readonly isCutOff: boolean;
}

const LONGEST_PADDING = 4096;

/** Run a command in a fresh process, cut off after `mostMs`. The length of its environment differs, as in `startGroup`. */
export async function timeCommand(
  command: readonly string[],
  size: number,
  mostMs: number,
  { guardian, signal, random }: Supervision & { readonly random: Random },
): Promise<CommandTimes> {
  signal.throwIfAborted();
  const padding = 'x'.repeat(random.integer(0, LONGEST_PADDING));
  const variables = { UV_THREADPOOL_SIZE: String(size), PLIMSOLL_PADDING: padding };
  const usedBefore = endedChildrenSeconds();
  const startedMs = performance.now();
  const running = await startCommand(command, variables, 'last-words', guardian);
  const over = new AbortController();
  const timer = sleep(mostMs, null, { signal: AbortSignal.any([signal, over.signal]) }).catch(() => null);
  try {
    const end = await Promise.race([running.ended, timer]);
    signal.throwIfAborted();
    if (end === null) return { wallMs: performance.now() - startedMs, cpuSeconds: null, isCutOff: true };
    const failed = `the command failed with ${size} pool threads (${end.text})`;
    if (end.code !== 0) throw new PlimsollError('PLIMSOLL_TARGET_FAILED', failed);
    const used = endedChildrenSeconds();
    const cpuSeconds = used === null || usedBefore === null ? null : used - usedBefore;
    return { wallMs: end.atMs - startedMs, cpuSeconds, isCutOff: false };
  } finally {
    over.abort();
    await running.close();
  }
}
