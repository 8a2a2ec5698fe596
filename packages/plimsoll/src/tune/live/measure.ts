import { execFile } from 'node:child_process';
import { PlimsollError } from '../../errors.js';
import { machineNoise, readMachineCounters } from '../../host/noise.js';
import { createRandom } from '../../stats/random.js';
import { type Judgement, judge } from '../judge.js';
import type { TuneQuestion } from '../request.js';
import type { Arm } from '../sample.js';
import { Caution } from './caution.js';
import { type Contest, contest, type Turn } from './contest.js';
import type { LiveTarget, LiveWindow } from './target.js';

export interface MeasureOptions extends TuneQuestion {
  readonly signal: AbortSignal;
  readonly onWindow?: (windows: readonly LiveWindow[]) => void;
  readonly onBlock?: (judgement: Judgement) => void;
  /** The target has real users: what they may notice is bounded. */
  readonly isCautious: boolean;
}

export interface Measured extends Contest<LiveWindow> {
  readonly worse: Caution['windows'] | null;
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
 */
export async function measureSizes(target: LiveTarget, options: MeasureOptions): Promise<Measured> {
  const { sizes, baseline, timeMs, seed, signal, onWindow, onBlock, isCautious } = options;
  const started = performance.now();
  const disks = new Disks();
  let settleMs = SETTLE_MS;
  const sizeOf = (arm: Arm): number => (arm === 'twin' ? baseline : arm);
  const caution = isCautious ? new Caution(baseline) : null;
  /** What a window needs beside its span, to switch, to settle and to drain: the longer the requests, the more. */
  let aroundMs = SETTLE_MS;
  const window = async ({ arm, block, order, mostMs }: Turn): Promise<LiveWindow> => {
    const size = sizeOf(arm);
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
  const atBaseline = (order: number, mostMs: number): Promise<LiveWindow> =>
    window({ arm: baseline, block: -1, order, mostMs });
  try {
    for (let warmUp = 0; warmUp < WARM_UPS; warmUp++) await atBaseline(warmUp, WARM_UP_MS);
  } catch (error) {
    if (!signal.aborted) throw error;
    const plan = { ...options, mostBlocks: 1 };
    return { results: [], plan, ending: 'interrupted', worse: caution?.windows ?? null };
  }
  const measured = await contest<LiveWindow>({
    question: { ...options, sizes: withinLimit(sizes, baseline, target.limit) },
    async measure(turn) {
      for (let extra = 0; caution?.mayTry(sizeOf(turn.arm)) === false; extra++)
        await atBaseline(extra, SHORT_MS);
      return window(turn);
    },
    judge(windows, plan) {
      const judgement = judge(windows, plan);
      onBlock?.(judgement);
      const living = judgement.living.filter((arm) => arm === 'twin' || caution?.left.has(arm) !== true);
      const isAlone = living.every((arm) => sizeOf(arm) === baseline);
      return { living, settled: judgement.settled || isAlone };
    },
    async between() {
      settleMs = (await disks.calm()) ? SETTLE_AFTER_WRITES_MS : SETTLE_MS;
    },
    timeMs: Math.max(0, timeMs - (performance.now() - started)),
    random: createRandom(seed),
    signal,
    onResult: onWindow,
  });
  return { ...measured, worse: caution?.windows ?? null };
}

function withinLimit(sizes: readonly number[], baseline: number, limit: number | null): readonly number[] {
  if (limit === null) return sizes;
  if (baseline <= limit) return sizes.filter((size) => size <= limit);
  throw new PlimsollError(
    'PLIMSOLL_NOT_RESIZED',
    `the pool has ${limit} ${limit === 1 ? 'thread' : 'threads'} and cannot grow to the baseline of ${baseline}, because the program sets UV_THREADPOOL_SIZE itself; remove this from the program, or choose a baseline and sizes up to ${limit}`,
  );
}

/** A share of the time in which something waited for a disk, above which the next window would feel it. */
const BUSY_SHARE = 0.05;
const SYNC_MS = 5_000;

/**
 * What a size leaves on the disks for the next one: a program that writes through (fsync) disturbs the window after its own.
 * Where that happens, blocks begin with synced disks, and windows settle for longer.
 */
class Disks {
  #before = readMachineCounters();

  /** Call it between two blocks. @returns whether the last one kept the disks busy. */
  async calm(): Promise<boolean> {
    const { psiIoShare } = machineNoise(this.#before, readMachineCounters(), 0);
    const isBusy = (psiIoShare ?? 0) > BUSY_SHARE;
    if (isBusy) await sync();
    this.#before = readMachineCounters();
    return isBusy;
  }
}

/** Node has no call for it; where there is no such program, or it takes too long, blocks go on without. */
const sync = (): Promise<void> =>
  new Promise((resolve) => {
    execFile('sync', { timeout: SYNC_MS }, () => resolve());
  });
