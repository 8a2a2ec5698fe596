import { PlimsollError } from '../../errors.js';
import { createRandom } from '../../stats/random.js';
import { type Judgement, judge } from '../judge.js';
import type { JudgePlan, Objective } from '../plan.js';
import type { Arm, Window } from '../window.js';
import { type ContestEnding, contest } from './contest.js';
import { Disks } from './disks.js';
import type { LiveTarget } from './target.js';

export interface MeasureOptions {
  /** In ascending order, the baseline among them; those above the limit of the target are left out. */
  readonly sizes: readonly number[];
  readonly baseline: number;
  readonly objective: Objective;
  readonly timeMs: number;
  readonly seed: number;
  readonly signal: AbortSignal;
  readonly onWindow?: (window: Window) => void;
  readonly onBlock?: (judgement: Judgement, blocks: number) => void;
  /** Throws what ends the contest; called after each window. */
  readonly guard?: (window: Window, windows: readonly Window[]) => void;
}

export interface Measured {
  readonly windows: readonly Window[];
  /** By which they are judged: sizes that left early are in it. */
  readonly plan: JudgePlan;
  readonly ending: ContestEnding;
}

/** Windows before the first that counts: what was just started compiles its code, and fills its caches. */
const WARM_UPS = 2;
const WARM_UP_MS = 1_000;
const SETTLE_MS = 100;
const SETTLE_AFTER_WRITES_MS = 300;
const LONGEST_WINDOW_MS = 5_000;
const LEAST_DRAIN_MS = 1_000;

/**
 * Compare pool sizes on a target that has requests, until the answer is known or the time is over. The first windows, at the
 * baseline, warm up and are in no result.
 *
 * @throws {PlimsollError} as {@link LiveTarget.window}
 * @throws whatever `guard` throws
 */
export async function measureSizes(target: LiveTarget, options: MeasureOptions): Promise<Measured> {
  const { baseline, objective, timeMs, seed, signal, onWindow, onBlock, guard } = options;
  const started = performance.now();
  const disks = new Disks();
  const sizeOf = (arm: Arm): number => (arm === 'twin' ? baseline : arm);
  const windows: Window[] = [];
  let { sizes } = options;
  const planAt = (living: readonly Arm[], mostBlocks: number): JudgePlan => {
    const left = sizes.filter((size) => !living.includes(size));
    return { sizes, baseline, objective, mostBlocks, seed, ...(left.length === 0 ? {} : { left }) };
  };
  const measure = async (arm: Arm, block: number, order: number, mostMs: number): Promise<Window> => {
    const settleMs = disks.isBusy ? SETTLE_AFTER_WRITES_MS : SETTLE_MS;
    // Half of what is left after settling, at the most, goes into waiting for the last requests.
    const spanMs = Math.min(LONGEST_WINDOW_MS, Math.max(0, mostMs - 1.5 * settleMs));
    const drainMs = Math.max(LEAST_DRAIN_MS, spanMs);
    return target.window({ block, order, arm, size: sizeOf(arm), settleMs, mostMs: spanMs, drainMs }, signal);
  };
  try {
    for (let warmUp = 0; warmUp < WARM_UPS; warmUp++) await measure(baseline, -1, warmUp, WARM_UP_MS);
  } catch (error) {
    if (!signal.aborted) throw error;
    return { windows, plan: planAt([...sizes, 'twin'], 1), ending: 'interrupted' };
  }
  sizes = withinLimit(sizes, baseline, target.limit);
  const { ending, living, mostBlocks } = await contest<Arm, Window>({
    arms: [...sizes, 'twin'],
    measure: ({ arm, block, order, mostMs }) => measure(arm, block, order, mostMs),
    isDisturbed: ({ disturbed }) => disturbed,
    judge: (results, course) => {
      const judgement = judge(results, planAt(course.living, course.mostBlocks));
      onBlock?.(judgement, 1 + Math.max(...results.map(({ block }) => block)));
      return judgement;
    },
    between: () => disks.calm(),
    timeMs: Math.max(0, timeMs - (performance.now() - started)),
    random: createRandom(seed),
    signal,
    onResult: (window) => {
      windows.push(window);
      onWindow?.(window);
      guard?.(window, windows);
    },
  });
  return { windows, plan: planAt(living, mostBlocks), ending };
}

/** @throws {PlimsollError} PLIMSOLL_NOT_RESIZED when the pool is smaller than the baseline. */
function withinLimit(sizes: readonly number[], baseline: number, limit: number | null): number[] {
  if (limit !== null && baseline > limit)
    throw new PlimsollError(
      'PLIMSOLL_NOT_RESIZED',
      `the pool has ${limit} ${limit === 1 ? 'thread' : 'threads'}, and cannot have the ${baseline} of the baseline: the program sets UV_THREADPOOL_SIZE by itself; have it leave that alone, or choose a baseline and sizes up to ${limit}`,
    );
  return sizes.filter((size) => limit === null || size <= limit);
}
