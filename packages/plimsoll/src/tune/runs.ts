import { FIRST_LOOK } from '../stats/looks.js';
import { createRandom } from '../stats/random.js';
import type { Outcome } from './answer.js';
import { timeCommand } from './commands.js';
import { type Judgement, judge } from './judge.js';
import { contest } from './live/contest.js';
import { spentOf, type TuneContext, type TuneQuestion, type TuneRequest } from './request.js';
import type { CommandRun } from './sample.js';

/** A run that takes so many times as long as the longest at the baseline is ended: its size is hopeless. */
const CUT_OFF = 5;
const LEAST_CUT_OFF_MS = 1_000;
const FRESH = { processes: null, resizing: null } as const;

/**
 * Compare fresh processes of a command at every size. The first run, which warms the caches of the disk up, is not compared.
 *
 * @returns no samples and a note when the time does not suffice for it.
 * @throws {PlimsollError} PLIMSOLL_TARGET_FAILED when a run fails.
 */
export async function compareRuns(request: TuneRequest, context: TuneContext): Promise<Outcome> {
  const { command, sizes, baseline, seed, timeMs } = request;
  const { signal, onProgress } = context;
  const random = createRandom(seed);
  const time = (size: number, mostMs: number) => timeCommand(command, size, mostMs, { ...context, random });
  onProgress({ phase: 'warming up', at: null, blocks: 0, known: null, share: 0, leftMs: timeMs });
  const startMs = performance.now();
  const first = await time(baseline, timeMs);
  const leftMs = timeMs - (performance.now() - startMs);
  if (first.isCutOff || leastMs(first.wallMs, sizes.length) > leftMs) return tooLong(request, first.wallMs);

  let longestMs = first.wallMs;
  let blocks = 0;
  let known: Judgement | null = null;
  const tell = (): void =>
    onProgress({ phase: 'measuring', at: null, blocks, known, ...spentOf(startMs, timeMs) });
  const { results, plan, ending } = await contest<CommandRun>({
    question: request,
    timeMs: leftMs,
    random,
    signal,
    async measure({ block, order, arm }) {
      const isBaseline = arm === 'twin' || arm === baseline;
      const size = arm === 'twin' ? baseline : arm;
      const mostMs = isBaseline ? leftMs : Math.max(LEAST_CUT_OFF_MS, CUT_OFF * longestMs);
      const { wallMs, cpuSeconds } = await time(size, mostMs);
      if (isBaseline) longestMs = Math.max(longestMs, wallMs);
      return { block, order, arm, size, wallMs, cpuSeconds, disturbed: false };
    },
    onResult: tell,
    judge(runs, plan) {
      blocks++;
      known = judge(runs, plan);
      tell();
      return known;
    },
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
