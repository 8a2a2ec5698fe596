import { PlimsollError } from '../../errors.js';
import { createRandom } from '../../stats/random.js';
import { type Judgement, judge } from '../judge.js';
import type { JudgePlan, Objective } from '../plan.js';
import type { Arm, Window } from '../window.js';
import { Caution } from './caution.js';
import { type ContestEnding, contest, type Turn } from './contest.js';
import { Disks } from './disks.js';
import type { LiveTarget, LiveWindow } from './target.js';

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
  /** The target has real users: what they may notice is bounded. */
  readonly isCautious?: boolean;
}

export interface Measured {
  readonly windows: readonly Window[];
  /** By which they are judged: sizes that left early are in it. */
  readonly plan: JudgePlan;
  readonly ending: ContestEnding;
  /** Of a cautious run: windows that were worse than what the app had, and all. */
  readonly worse: { readonly worse: number; readonly all: number } | null;
}

/** Windows before the first that counts: what was just started compiles its code, and fills its caches. */
const WARM_UPS = 2;
const WARM_UP_MS = 1_000;
const SHORT_MS = 400;
const SETTLE_MS = 100;
const SETTLE_AFTER_WRITES_MS = 300;
const LONGEST_WINDOW_MS = 5_000;
const LEAST_DRAIN_MS = 1_000;
/** Of a window that settles and drains for long because its requests are long, so much of that time is measured at least. */
const LEAST_SHARE = 0.5;
/** A new window counts for so much in what windows usually need beside their span. */
const NEWEST_SHARE = 0.3;

/**
 * Compare pool sizes on a target that has requests, until the answer is known or the time is over. The first windows, at the
 * baseline, warm up and are in no result.
 *
 * @throws {PlimsollError} as {@link LiveTarget.window}
 */
export async function measureSizes(target: LiveTarget, options: MeasureOptions): Promise<Measured> {
  const { baseline, objective, timeMs, seed, signal, onWindow, onBlock } = options;
  const started = performance.now();
  const disks = new Disks();
  const sizeOf = (arm: Arm): number => (arm === 'twin' ? baseline : arm);
  const windows: Window[] = [];
  let { sizes } = options;
  const planAt = (living: readonly Arm[], mostBlocks: number): JudgePlan => {
    const left = sizes.filter((size) => !living.includes(size));
    return { sizes, baseline, objective, mostBlocks, seed, ...(left.length === 0 ? {} : { left }) };
  };
  const caution = options.isCautious === true ? new Caution(baseline) : null;
  /** What a window needs beside its span, to switch, to settle and to drain: the longer the requests, the more. */
  let aroundMs = SETTLE_MS;
  const window = async (arm: Arm, block: number, order: number, mostMs: number): Promise<LiveWindow> => {
    const size = sizeOf(arm);
    const settleMs = disks.isBusy ? SETTLE_AFTER_WRITES_MS : SETTLE_MS;
    const spanMs = Math.min(LONGEST_WINDOW_MS, Math.max(mostMs - aroundMs, LEAST_SHARE * aroundMs));
    const drainMs = Math.max(LEAST_DRAIN_MS, spanMs);
    const plan = { block, order, arm, size, settleMs, mostMs: spanMs, drainMs };
    const startedAt = performance.now();
    const measured = await target.window({ ...plan, ...caution?.limits(size) }, signal);
    const restMs = performance.now() - startedAt - 1_000 * measured.seconds;
    aroundMs += NEWEST_SHARE * (restMs - aroundMs);
    caution?.look(measured);
    if (measured.trouble !== null) await target.resize(baseline);
    return measured;
  };
  const measure = async ({ arm, block, order, mostMs }: Turn<Arm>): Promise<LiveWindow> => {
    for (let extra = 0; caution?.mayTry(sizeOf(arm)) === false; extra++)
      await window(baseline, -1, extra, SHORT_MS);
    return window(arm, block, order, mostMs);
  };
  try {
    for (let warmUp = 0; warmUp < WARM_UPS; warmUp++) await window(baseline, -1, warmUp, WARM_UP_MS);
  } catch (error) {
    if (!signal.aborted) throw error;
    return {
      windows,
      plan: planAt([...sizes, 'twin'], 1),
      ending: 'interrupted',
      worse: caution?.windows ?? null,
    };
  }
  sizes = withinLimit(sizes, baseline, target.limit);
  const { ending, living, mostBlocks } = await contest<Arm, Window>({
    arms: [...sizes, 'twin'],
    measure,
    isDisturbed: ({ disturbed }) => disturbed,
    judge: (results, course) => {
      const judgement = judge(results, planAt(course.living, course.mostBlocks));
      onBlock?.(judgement, 1 + Math.max(...results.map(({ block }) => block)));
      const living = judgement.living.filter((arm) => arm === 'twin' || caution?.left.has(arm) !== true);
      const isAlone = living.every((arm) => sizeOf(arm) === baseline);
      return { living, settled: judgement.settled || isAlone };
    },
    between: () => disks.calm(),
    timeMs: Math.max(0, timeMs - (performance.now() - started)),
    random: createRandom(seed),
    signal,
    onResult: (window) => {
      windows.push(window);
      onWindow?.(window);
    },
  });
  return { windows, plan: planAt(living, mostBlocks), ending, worse: caution?.windows ?? null };
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
