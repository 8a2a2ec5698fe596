import { PlimsollError } from '../../errors.js';
import { createRandom } from '../../stats/random.js';
import { judge } from '../judge.js';
import type { TuneQuestion } from '../request.js';
import { Caution } from './caution.js';
import { type Contest, type ContestOptions, contest, type Turn } from './contest.js';
import type { LiveTarget, LiveWindow } from './target.js';

export interface MeasureOptions
  extends TuneQuestion,
    Pick<ContestOptions<LiveWindow>, 'signal' | 'onStanding'> {
  /** The target has real users: what they may notice is bounded. */
  readonly isCautious: boolean;
}

export interface Measured extends Contest<LiveWindow> {
  readonly caution: Caution | null;
}

/** Windows before the first that counts: an app that has just started compiles its code, and fills its caches. */
const WARM_UPS = 2;
const WARM_UP_MS = 1_000;
const SHORT_MS = 400;
const LONGEST_WINDOW_MS = 5_000;
const LEAST_DRAIN_MS = 1_000;
/** A window whose requests are long settles and drains for long: at least so much of that time is measured. */
const LEAST_SHARE = 0.5;
/** A new window counts for so much in what windows usually need beside their span. */
const NEWEST_SHARE = 0.3;

/** Compare sizes until the answer is known or the time is over. The first windows, at the baseline, warm up and do not count. */
export async function measureSizes(target: LiveTarget, options: MeasureOptions): Promise<Measured> {
  const { sizes, baseline, seed, signal, onStanding, isCautious } = options;
  const caution = isCautious ? new Caution(baseline) : null;
  /** What a window needs beside its span, to switch, to settle and to drain: the longer the requests, the more. */
  let aroundMs = 100;
  const window = async ({ mostMs, ...place }: Turn): Promise<LiveWindow> => {
    const spanMs = Math.min(LONGEST_WINDOW_MS, Math.max(mostMs - aroundMs, LEAST_SHARE * aroundMs));
    const plan = { ...place, mostMs: spanMs, drainMs: Math.max(LEAST_DRAIN_MS, spanMs) };
    const startedAt = performance.now();
    const measured = await target.window({ ...plan, ...caution?.limits(place.size) }, signal);
    const restMs = performance.now() - startedAt - 1_000 * measured.seconds;
    aroundMs += NEWEST_SHARE * (restMs - aroundMs);
    caution?.look(measured);
    if (measured.isTrouble) await target.resize(baseline);
    return measured;
  };
  const atBaseline = (order: number, mostMs: number): Promise<LiveWindow> =>
    window({ arm: baseline, size: baseline, block: -1, order, mostMs });

  await target.resize(baseline);
  const measured = await contest<LiveWindow>({
    question: { ...options, sizes: withinLimit(sizes, baseline, target.pool.limit) },
    ...{ random: createRandom(seed), signal, onStanding },
    async before(block) {
      for (let warmUp = 0; block === 0 && warmUp < WARM_UPS; warmUp++) await atBaseline(warmUp, WARM_UP_MS);
    },
    async measure(turn) {
      for (let extra = 0; caution?.mayTry(turn.size) === false; extra++) await atBaseline(extra, SHORT_MS);
      return window(turn);
    },
    judge(windows, plan) {
      const judgement = judge(windows, plan);
      const living = judgement.living.filter((arm) => arm === 'twin' || caution?.left.has(arm) !== true);
      const isAlone = living.every((arm) => arm === 'twin' || arm === baseline);
      return { ...judgement, living, settled: judgement.settled || isAlone };
    },
  });
  return { ...measured, caution };
}

function withinLimit(sizes: readonly number[], baseline: number, limit: number | null): readonly number[] {
  if (limit === null) return sizes;
  if (baseline <= limit) return sizes.filter((size) => size <= limit);
  throw new PlimsollError(
    'PLIMSOLL_NOT_RESIZED',
    `the pool has ${limit} ${limit === 1 ? 'thread' : 'threads'} and cannot grow to the baseline of ${baseline}, because the program sets UV_THREADPOOL_SIZE itself; remove this from the program, or choose a baseline and sizes up to ${limit}`,
  );
}
