import type { Environment } from '../host/environment.js';
import type { BenchResult, RoundResult, SizeResult, Verdict, WorkloadResult } from '../results/bench.js';
import { median } from '../stats/quantile.js';
import {
  type Verdict as Card,
  type Curve,
  column,
  findingsBlock,
  notes,
  type Report,
  type Section,
  sizeCell,
  type Table,
  type Tone,
  titled,
} from './document.js';
import { canJudge } from './findings/bench.js';
import {
  change,
  formatBytes,
  formatChange,
  formatCount,
  formatDecimal,
  formatDuration,
  formatMs,
  formatRate,
  list,
  percent,
} from './format.js';
import type { Style } from './style.js';
import { terminal } from './terminal.js';

/** The whole result of a bench for a terminal. */
export const benchReport = (result: BenchResult, style: Style): string =>
  terminal(benchDocument(result), style);

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

export const STOPPED = {
  settled: 'the answer was known',
  time: 'the time was up',
  generations: 'all of them',
  interrupted: 'interrupted',
  failed: 'it failed',
} as const;

const TURNS = {
  resized: 'one process has all sizes in turn, by short rounds in random order',
  alternating: 'processes of all sizes take turns by short rounds, in random order',
  isolated: 'one fresh process at a time, in random order',
} as const;

export const howTurns = (mode: BenchResult['method']['mode']): string => TURNS[mode];

/** `24 rounds of every size, in 8 generations of fresh processes, 11 s: the answer was known`. */
export function howMeasured({ method }: WorkloadResult): string {
  if (method === null) return '';
  const { rounds, generations, seconds, stop, fixed } = method;
  const why =
    fixed === null ? '' : `; processes of one size each, because the pool cannot be resized: ${fixed}`;
  return `${formatCount(rounds, 'round')} of every size in ${formatCount(generations, 'generation')} of fresh processes, ${formatDuration(seconds * 1000)}: ${STOPPED[stop]}${why}`;
}

function workloadSection(workload: WorkloadResult, baseline: number, environment: Environment): Section {
  const { name, description, failure, sizes, recommended, noise } = workload;
  const twin =
    noise && `A/A: the twin of ${baseline} differs by ${formatChange(noise.aaRatio, noise.aaInterval)}`;
  const curve: Curve = {
    kind: 'curve',
    title: `${name}: time against ${baseline}`,
    points: sizes.map(({ size, ratio, interval }) => ({ size, value: ratio, interval })),
    chosen: recommended,
    rules: coreRules(environment),
    isRatio: true,
    format: timesOf,
  };
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
  const { name, sizes, recommended, noise, method } = workload;
  const rows = sizes.map((size) => {
    const of = (pick: (round: RoundResult) => number): number => median(size.rounds.map(pick));
    return [
      sizeCell(size.size, recommended),
      formatMs(size.workMs),
      size.size === baseline ? 'baseline' : formatChange(size.ratio, size.interval),
      formatRate(of((run) => run.opsPerSecond)),
      formatMs(of((run) => run.latencyMs.p50)),
      formatMs(of((run) => run.latencyMs.p99)),
      formatMs(size.eventLoopDelayMs.p99),
      formatMs((of((run) => run.cpuSeconds) * 1000) / (method?.repetitions ?? 1)),
      formatBytes(of((run) => run.maxRssBytes)),
      { text: verdictWord(size, workload, baseline), tone: VERDICT_TONE[size.verdict] },
    ];
  });
  return {
    kind: 'table',
    caption: `${name} by pool size`,
    columns: [
      ...[column('size'), column('time'), column(`against ${baseline}`, 'left')],
      ...[column('ops/s', 'right', 1), column('p50', 'right', 5), column('p99', 'right', 3)],
      ...[column('loop delay', 'right', 2), column('CPU', 'right', 4), column('memory', 'right', 6)],
      column('verdict', 'left'),
    ],
    rows,
    chosen: sizes.findIndex(({ size }) => size === recommended),
    ...(noise === null ? {} : { plot: { at: 3, expendable: 9, ratios: sizes } }),
  };
}

export const VERDICT_TONE: Readonly<Record<Verdict, Tone>> = {
  better: 'good',
  worse: 'bad',
  same: 'soft',
  unclear: 'unsure',
};

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
  const size = recommended ?? leading;
  const known = sizes.find((one) => one.size === size);
  const isEstimate = recommended === null || (known?.chanceSlower ?? 1) > ACCEPTED_CHANCE;
  return {
    work: name,
    size,
    sign: size === null ? (sizes.length === 1 ? '–' : '?') : `${isEstimate ? '~' : ''}${size}`,
    isEstimate,
    gain:
      known === undefined || known.interval === null || size === baseline
        ? ''
        : formatChange(known.ratio, known.interval),
    sure: known === undefined ? '' : wrongBy(known.chanceSlower),
    because: because(workload, baseline),
  };
}

export const wrongBy = (chance: number): string =>
  `chance of being wrong: ${chance < 0.001 ? 'below 0.1' : percent(chance)} %`;

/** Why this size, or why none can be named. */
export function because(workload: WorkloadResult, baseline: number): string {
  const { recommended, noise, sizes, higherEventLoopDelay } = workload;
  if (noise === null) return 'not measured to the end';
  if (noise.noisy) return 'too noisy: the baseline differs from itself';
  if (sizes.length === 1)
    return `the only size measured (${formatMs(sizes[0]?.workMs ?? 0)}): nothing to compare`;
  const late =
    higherEventLoopDelay.length === 0
      ? null
      : `${list(higherEventLoopDelay)} no faster, and a higher event-loop delay`;
  const parts = recommended === null ? leaning(workload, baseline) : grounds(workload, recommended, baseline);
  const text = [...parts.slice(0, 2), late, ...parts.slice(2)].filter((part) => part !== null).join('; ');
  return `${recommended === null ? 'estimate: ' : ''}${text === '' ? 'the fastest' : text}`;
}

function grounds(
  { sizes, asGood }: WorkloadResult,
  recommended: number,
  baseline: number,
): (string | null)[] {
  const others = asGood.filter((size) => size !== recommended);
  const { ratio, verdict, chanceSlower } = sizes.find(({ size }) => size === recommended) as SizeResult;
  const against =
    verdict === 'same'
      ? `as fast as ${baseline}`
      : `${change(ratio)} time against ${baseline}${verdict === 'unclear' ? ', not certain' : ''}`;
  return [
    recommended === baseline ? null : against,
    others.length === 0 ? null : `${list(others)} no better`,
    chanceSlower < 0.005
      ? null
      : `a chance of ${percent(chanceSlower)} % that it is more than 5 % slower than the best`,
  ];
}

function leaning({ asGood, sizes }: WorkloadResult, baseline: number): (string | null)[] {
  const leading = sizes.find(({ size }) => size === asGood[0]);
  if (asGood.length > 1) return [`${list(asGood)} cannot be told apart`];
  return leading === undefined || leading.size === baseline
    ? []
    : [`${change(leading.ratio)} time against ${baseline}`];
}

export const timesOf = (ratio: number): string => `${Number(ratio.toPrecision(3))}×`;

export function coreRules({ cpu, limits }: Environment): Curve['rules'] {
  const cores = cpu.effectiveCpus;
  const quota = limits.cpuQuotaCores;
  return [
    { at: cores, label: formatCount(cores, 'core') },
    ...(quota === null || quota === cores ? [] : [{ at: quota, label: `quota ${formatDecimal(quota)}` }]),
  ];
}
