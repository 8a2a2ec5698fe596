import { FIRST_LOOK } from '../stats/looks.js';
import { createRandom } from '../stats/random.js';
import { timeCommand } from './commands.js';
import { type Judgement, judge } from './judge.js';
import { contest } from './live/contest.js';
import { FRESH, type Outcome } from './outcome.js';
import type { CommandRun, JudgePlan } from './plan.js';
import type { TuneProgress } from './progress.js';
import type { TuneContext, TuneQuestion, TuneRequest } from './request.js';
import type { Arm } from './window.js';

/** A run that takes so many times as long as the longest at the baseline is ended: its size is hopeless. */
const CUT_OFF = 5;
const LEAST_CUT_OFF_MS = 1_000;

/**
 * Compare fresh processes of a command at every size. The first run, which warms the caches of the disk up, is not compared.
 *
 * @returns no samples and a note when the time does not suffice for it.
 * @throws {PlimsollError} PLIMSOLL_TARGET_FAILED when a run fails.
 * @throws the reason of the signal, when it aborts before the first run has ended.
 */
export async function compareRuns(request: TuneRequest, context: TuneContext): Promise<Outcome> {
  const { command, sizes, baseline, seed, timeMs } = request;
  const { signal, onProgress } = context;
  const random = createRandom(seed);
  const time = (size: number, mostMs: number) => timeCommand(command, size, mostMs, { ...context, random });
  const tell = (phase: TuneProgress['phase'], progress: Omit<TuneProgress, 'phase' | 'at'>): void =>
    onProgress({ ...progress, phase, at: null });

  tell('warming up', { blocks: 0, known: null, share: 0, leftMs: timeMs });
  const startMs = performance.now();
  const first = await time(baseline, timeMs);
  const leftMs = timeMs - (performance.now() - startMs);
  if (first.isCutOff || leastMs(first.wallMs, sizes.length) > leftMs) return tooLong(request, first.wallMs);

  let longestMs = first.wallMs;
  let blocks = 0;
  let known: Judgement | null = null;
  const tellRun = (): void => {
    const spentMs = performance.now() - startMs;
    const share = Math.min(1, spentMs / timeMs);
    tell('measuring', { blocks, known, share, leftMs: Math.max(0, timeMs - spentMs) });
  };
  const { results, ending, living, mostBlocks } = await contest<Arm, CommandRun>({
    arms: [...sizes, 'twin'],
    timeMs: leftMs,
    random,
    signal,
    measure: async ({ block, order, arm }) => {
      const isBaseline = arm === 'twin' || arm === baseline;
      const size = arm === 'twin' ? baseline : arm;
      const mostMs = isBaseline ? leftMs : Math.max(LEAST_CUT_OFF_MS, CUT_OFF * longestMs);
      const { wallMs, cpuSeconds } = await time(size, mostMs);
      if (isBaseline) longestMs = Math.max(longestMs, wallMs);
      return { block, order, arm, size, wallMs, cpuSeconds, disturbed: false };
    },
    isDisturbed: () => false,
    onResult: tellRun,
    judge: (runs, course) => {
      blocks++;
      known = judge(runs, planAt(request, course.living, course.mostBlocks));
      tellRun();
      return known;
    },
  });
  if (results.length === 0) signal.throwIfAborted();
  return { samples: results, plan: planAt(request, living, mostBlocks), stop: ending, ...FRESH, notes: [] };
}

function planAt(question: TuneQuestion, living: readonly Arm[], mostBlocks: number): JudgePlan {
  const { sizes, baseline, objective, seed } = question;
  const left = sizes.filter((size) => !living.includes(size));
  return { sizes, baseline, objective, mostBlocks, seed, ...(left.length === 0 ? {} : { left }) };
}

/** Nothing can be compared, because one run takes so long, or longer. */
export function tooLong(question: TuneQuestion, wallMs: number): Outcome {
  const { sizes } = question;
  // Enough for the answer to be known more often than not: three times the least.
  const minutes = Math.ceil((3 * leastMs(wallMs, sizes.length)) / 60_000);
  const plan = planAt(question, [...sizes, 'twin'], FIRST_LOOK);
  return { samples: [], plan, stop: 'time', ...FRESH, notes: [{ id: 'tune.needs-minutes', minutes }] };
}

/** The least that a comparison takes: every size and the twin in each of the blocks before the first look. */
const leastMs = (wallMs: number, sizes: number): number => wallMs * (sizes + 1) * FIRST_LOOK;
