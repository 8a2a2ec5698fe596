import type { Environment } from '../host/environment.js';
import type { BenchResult, RoundResult, SizeResult, WorkloadResult } from '../results/bench.js';
import { median } from '../stats/quantile.js';
import type { Verdict as Card, Report, Section, Table } from './document.js';
import { column, findingsBlock, notes, titled } from './document.js';
import { canJudge } from './findings/bench.js';
import {
  change,
  formatBytes,
  formatChange,
  formatCount,
  formatDuration,
  formatMs,
  formatRate,
  list,
  percent,
} from './format.js';
import { STOPPED, sizeCurve, sizesTable, VERDICT_TONE, wrongBy } from './sizes.js';

export function benchDocument(result: BenchResult): Report {
  const { environment, method, workloads, findings } = result;
  const { mode, baseline, seed, seconds } = method;
  const verdicts = workloads
    .filter(({ sizes }) => sizes.length > 0)
    .map((workload) => verdictOf(workload, baseline));
  return {
    command: 'plimsoll bench',
    environment,
    about: [`${howTurns(mode)}, ${baseline} twice (A/A), seed ${seed}, ${formatDuration(seconds * 1000)}`],
    warning: method.interrupted ? 'interrupted: only complete blocks are counted' : null,
    verdicts,
    sections: [
      ...workloads.map((workload) => workloadSection(workload, baseline, environment)),
      ...titled(
        'Which UV_THREADPOOL_SIZE suits which work',
        verdicts.length === 0 ? [] : [{ kind: 'verdicts', verdicts }],
      ),
      ...titled('What this shows', findingsBlock(findings)),
    ],
  };
}

export const howTurns = (mode: BenchResult['method']['mode']): string =>
  ({
    resized: 'one process takes all sizes in turn, in short rounds in random order',
    alternating: 'processes of all sizes take turns in short rounds, in random order',
    isolated: 'one fresh process at a time, in random order',
  })[mode];

/** `24 rounds of every size, in 8 generations of fresh processes, 11 s: the answer was known`. */
export function howMeasured({ method }: WorkloadResult): string {
  if (method === null) return '';
  const { rounds, generations, seconds, stop, fixed } = method;
  const why =
    fixed === null ? '' : `; one process for each size, because the pool cannot be resized: ${fixed}`;
  return `${formatCount(rounds, 'round')} of every size in ${formatCount(generations, 'generation')} of fresh processes, ${formatDuration(seconds * 1000)}: ${STOPPED[stop]}${why}`;
}

function workloadSection(workload: WorkloadResult, baseline: number, environment: Environment): Section {
  const { name, description, failure, sizes, recommended, noise } = workload;
  const twin =
    noise &&
    `A/A: a second measurement of ${baseline} differs by ${formatChange(noise.aaRatio, noise.aaInterval)}`;
  const points = sizes.map(({ size, ratio, interval, workMs }) => ({
    ...{ size, value: ratio, interval, text: formatMs(workMs) },
  }));
  const curve = sizeCurve(`${name}: time against ${baseline}`, points, recommended, environment);
  return {
    title: name,
    aside: description,
    blocks: [
      ...notes([howMeasured(workload) || null, twin], 'soft'),
      ...notes([failure && `failed: ${failure.message}`], 'bad'),
      ...(sizes.length === 0 ? [] : [curve, benchTable(workload, baseline)]),
    ],
  };
}

export function benchTable(workload: WorkloadResult, baseline: number): Table {
  const { name, sizes, recommended, method } = workload;
  const of = ({ rounds }: SizeResult, pick: (round: RoundResult) => number): number =>
    median(rounds.map(pick));
  const cpuMs = (size: SizeResult): number =>
    (of(size, ({ cpuSeconds }) => cpuSeconds) * 1000) / (method?.repetitions ?? 1);
  return sizesTable<SizeResult>({
    ...{ caption: `${name} by pool size`, sizes, baseline, recommended },
    time: [column('time'), ({ workMs }) => formatMs(workMs)],
    figures: [
      [column('ops/s', 'right', 1), (size) => formatRate(of(size, (round) => round.opsPerSecond))],
      [column('p50', 'right', 5), (size) => formatMs(of(size, (round) => round.latencyMs.p50))],
      [column('p99', 'right', 3), (size) => formatMs(of(size, (round) => round.latencyMs.p99))],
      [column('loop delay', 'right', 2), ({ eventLoopDelayMs }) => formatMs(eventLoopDelayMs.p99)],
      [column('CPU', 'right', 4), (size) => formatMs(cpuMs(size))],
      [column('memory', 'right', 6), (size) => formatBytes(of(size, (round) => round.maxRssBytes))],
    ],
    ratioOf: (size) => size,
    verdictOf: (size) => ({
      ...{ text: verdictWord(size, workload, baseline), tone: VERDICT_TONE[size.verdict] },
    }),
  });
}

/** With too few generations for a verdict the word is `estimate`: `unclear` would sound as if more had been tried. */
function verdictWord({ size, verdict }: SizeResult, workload: WorkloadResult, baseline: number): string {
  if (size === baseline) return '';
  if (workload.noise?.noisy) return 'noisy';
  return verdict === 'unclear' && !canJudge(workload) ? 'estimate' : verdict;
}

/** A wrong recommendation is less likely than this, or it is only what the estimates lean to. */
const ACCEPTED_CHANCE = 0.05;

function verdictOf(workload: WorkloadResult, baseline: number): Card {
  const { name, recommended, asGood, sizes } = workload;
  const leading = asGood.length > 0 && sizes.length > 1 ? Math.min(...asGood) : null;
  const best = recommended ?? leading;
  const known = sizes.find(({ size }) => size === best);
  const isLikely = (known?.chanceSlower ?? 1) > ACCEPTED_CHANCE;
  const confidence = recommended === null ? 'cannot tell' : isLikely ? 'likely' : 'sure';
  const hasGain = known !== undefined && known.interval !== null && best !== baseline;
  return {
    ...{ work: name, size: recommended, confidence },
    sign: best === null ? (sizes.length === 1 ? '–' : '?') : `${confidence === 'sure' ? '' : '~'}${best}`,
    gain: hasGain ? formatChange(known.ratio, known.interval) : '',
    sure: known === undefined ? '' : wrongBy(known.chanceSlower),
    because: because(workload, baseline),
  };
}

export function because(workload: WorkloadResult, baseline: number): string {
  const { recommended, noise, sizes, asGood, higherEventLoopDelay } = workload;
  if (noise === null) return 'not fully measured';
  if (noise.noisy) return 'too noisy: two measurements of the baseline differ';
  if (sizes.length === 1)
    return `the only size measured (${formatMs(sizes[0]?.workMs ?? 0)}), so nothing to compare`;
  const delayed = higherEventLoopDelay.length > 0;
  const late = delayed && `${list(higherEventLoopDelay)} no faster, with a higher event-loop delay`;
  const best = sizes.find(({ size }) => size === (recommended ?? asGood[0]));
  const against =
    best !== undefined && best.size !== baseline && `${change(best.ratio)} time against ${baseline}`;
  const joined = (...parts: (string | false)[]): string => parts.filter(Boolean).join('; ') || 'the fastest';
  if (recommended === null || best === undefined) {
    const equals = asGood.length > 1 && `cannot tell ${list(asGood)} apart`;
    return joined(equals || `cannot tell yet: an estimate of ${against || 'no gain'}`, late);
  }
  const { verdict, chanceSlower } = best;
  const alternatives = asGood.filter((size) => size !== recommended);
  return joined(
    against &&
      (verdict === 'same'
        ? `as fast as ${baseline}`
        : `${against}${verdict === 'unclear' ? ', uncertain' : ''}`),
    alternatives.length > 0 && `no gain from ${list(alternatives)}`,
    late,
    chanceSlower >= 0.005 &&
      `a ${percent(chanceSlower)} % chance that it is more than 5 % slower than the best`,
  );
}
