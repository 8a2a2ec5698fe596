import type { Measured } from '../../bench/bench.js';
import { LARGEST_POOL_SIZE, slowJobLimit } from '../../libuv/pool-size.js';
import type { BenchResult, SizeResult, WorkloadResult } from '../../results/bench.js';
import type { Finding } from '../../results/finding.js';
import { FIRST_LOOK } from '../../stats/looks.js';
import { median } from '../../stats/quantile.js';
import { change, formatCount, formatMs, list, percent, verb } from '../format.js';
import { advice, findAll, note, type RuleOver, warning } from './finding.js';

export interface FindingContext {
  readonly baseline: number;
  readonly effectiveCpus: number;
  /** Filesystem of the temporary directory; `null` when unknown. */
  readonly filesystem: { readonly type: string | null; readonly isMemory: boolean | null };
  /** The resolver that answered lookups; `null` without lookups. */
  readonly resolver: Measured['method']['dns'];
}

type Rule = RuleOver<[workload: WorkloadResult, context: FindingContext]>;
type RuleForAll = RuleOver<[workloads: readonly WorkloadResult[], context: FindingContext]>;

export function benchResultOf(measured: Measured): BenchResult {
  const { environment, method, workloads } = measured;
  const { filesystem, cpu } = environment;
  return {
    ...measured,
    findings: findings(workloads, {
      ...{ baseline: method.baseline, effectiveCpus: cpu.effectiveCpus, filesystem, resolver: method.dns },
    }),
  };
}

const RANK: Record<Finding['severity'], number> = { warning: 0, advice: 1, note: 2 };

/**
 * What a reader should learn from the workloads, the most severe first. Each finding rests on the numbers of this result
 * alone; docs/reference/findings.md explains every id.
 */
export function findings(workloads: readonly WorkloadResult[], context: FindingContext): Finding[] {
  const found = workloads.flatMap((workload) => findAll(RULES, workload, context));
  return [...findAll([oneSizeForAll, estimatesOnly], workloads, context), ...found].toSorted(
    (a, b) => RANK[a.severity] - RANK[b.severity],
  );
}

const sizeIn = ({ sizes }: WorkloadResult, size: number | null): SizeResult | undefined =>
  sizes.find((result) => result.size === size);

const numbers = (sizes: readonly SizeResult[]): number[] => sizes.map(({ size }) => size);

/** Enough generations for a verdict, on a machine that was calm enough for one. */
export const canJudge = ({ noise, method }: WorkloadResult): boolean =>
  noise !== null && !noise.noisy && (method?.generations ?? 0) >= FIRST_LOOK;

/** Baseline and twin differ though they are the same: nothing else from this workload can be believed. */
const noisy: Rule = ({ name, noise }) => {
  if (!noise?.noisy) return null;
  const { aaRatio, aaInterval } = noise;
  const text = `${name}: NOISY: two measurements of the baseline differ by ${percent(aaRatio - 1)} %, so the sizes are not ranked. Quieten the machine and run again`;
  return warning('bench.noisy', text, { aaRatio, aaInterval });
};

const lost: Rule = ({ name, lost: out }) =>
  out.map(({ size, code, message }) =>
    warning('bench.lost-size', `${name}: size ${size} was dropped: ${message}`, { size, code }),
  );

/** `21 % faster than 4 [17, 25]`: the share of the baseline's time that is saved or added, with its interval. */
function comparedWith(baseline: number, { ratio, interval }: SizeResult): string {
  const [low, high] = interval ?? [ratio, ratio];
  const bounds = ratio < 1 ? [1 - high, 1 - low] : [low - 1, high - 1];
  const signed = bounds.map((bound) => (bound < 0 ? `−${percent(bound)}` : percent(bound)));
  return `${percent(ratio - 1)} % ${ratio < 1 ? 'faster' : 'slower'} than ${baseline} [${signed.join(', ')}]`;
}

const evidenceOf = ({ size, ratio, interval, chanceSlower }: SizeResult) => ({
  ...{ size, ratio, interval, chanceSlower },
});

const faster: Rule = (workload, { baseline }) => {
  const chosen = sizeIn(workload, workload.recommended);
  if (chosen?.verdict !== 'better') return null;
  const largerSizes = numbers(workload.sizes).filter((size) => size > chosen.size);
  const more = largerSizes.length === 0 ? '' : '; larger sizes bring no further gain';
  const text = `${workload.name}: ${chosen.size} is ${comparedWith(baseline, chosen)}${more}`;
  return advice('bench.faster', text, { ...evidenceOf(chosen), largerSizes });
};

const tryLarger: Rule = (workload) => {
  const chosen = sizeIn(workload, workload.recommended);
  if (chosen?.verdict !== 'better' || chosen !== workload.sizes.at(-1) || chosen.size === LARGEST_POOL_SIZE)
    return null;
  const { size } = chosen;
  const nextSizes = [2, 4].map((factor) => Math.min(LARGEST_POOL_SIZE, factor * size));
  const text = `${workload.name}: ${size} is the largest size measured, and the best; measure larger sizes too (--sizes ${[size, ...nextSizes].join(',')})`;
  return advice('bench.try-larger', text, { size, nextSizes });
};

/** A smaller expected loss is not worth a mention. */
const NOTHING = 0.005;

const smallerIsEnough: Rule = (workload, { baseline }) => {
  const chosen = sizeIn(workload, workload.recommended);
  if (chosen === undefined || chosen.size >= baseline || chosen.verdict === 'better') return null;
  const does =
    chosen.verdict === 'same' || chosen.expectedLoss < NOTHING
      ? `perform as well as ${baseline}`
      : `are expected to be ${percent(chosen.expectedLoss)} % slower than the best size`;
  const text = `${workload.name}: ${chosen.size} threads ${does}`;
  return advice('bench.smaller-is-enough', text, evidenceOf(chosen));
};

const noGain: Rule = (workload, { baseline }) => {
  const larger = workload.sizes.filter(({ size }) => size > baseline);
  if (!canJudge(workload) || workload.recommended !== baseline || larger.length === 0) return null;
  const sizes = numbers(larger);
  const text = `${workload.name}: ${list(sizes)} ${verb(sizes, 'is', 'are')} no faster than ${baseline}`;
  return note('bench.no-gain', text, { sizes, ratios: larger.map(({ ratio }) => ratio) });
};

const worse: Rule = ({ name, sizes }, { baseline }) =>
  sizes
    .filter(({ size, verdict }) => size !== baseline && verdict === 'worse')
    .map((result) => {
      const text = `${name}: ${result.size} is ${comparedWith(baseline, result)}`;
      return result.size > baseline
        ? note('bench.slower', `${text}; the pool is not the bottleneck`, evidenceOf(result))
        : note('bench.too-small', `${text}; this work needs more threads`, evidenceOf(result));
    });

/** Sizes that are as fast as the best but delay the event loop, and with it every other request. */
const eventLoopDelay: Rule = (workload) => {
  const chosen = sizeIn(workload, workload.recommended);
  const late = workload.sizes.filter(({ size }) => workload.higherEventLoopDelay.includes(size));
  if (chosen === undefined || late.length === 0) return null;
  const sizes = numbers(late);
  const p99Ms = late.map(({ eventLoopDelayMs }) => eventLoopDelayMs.p99);
  const insteadOfP99Ms = chosen.eventLoopDelayMs.p99;
  const text = `${workload.name}: ${list(sizes)} ${verb(sizes, 'is', 'are')} no faster than ${chosen.size}, and ${verb(sizes, 'raises', 'raise')} the p99 event-loop delay from ${formatMs(insteadOfP99Ms)} to ${list(p99Ms.map(formatMs))}`;
  return advice('bench.event-loop-delay', text, { sizes, p99Ms, insteadOf: chosen.size, insteadOfP99Ms });
};

export const busyCpus = ({ rounds }: SizeResult, repetitions: number): number =>
  median(rounds.map((round) => (round.cpuSeconds * 1000) / (round.workMs * repetitions)));

const BUSY = 0.9;
const IDLE = 0.7;

/** The CPUs, or the pool, were the limit at the baseline. */
const limit: Rule = (workload, { baseline, effectiveCpus }) => {
  const { name, sizes, method } = workload;
  const base = sizeIn(workload, baseline);
  if (base === undefined || method === null || base.rounds.length === 0) return null;
  const busy = busyCpus(base, method.repetitions);
  const evidence = { size: baseline, busyCpus: busy, effectiveCpus };
  const cpus = `${busy.toFixed(1)} of ${effectiveCpus} CPUs`;
  if (busy >= BUSY * effectiveCpus) {
    const text = `${name}: ${baseline} threads already keep ${cpus} busy; more threads would only compete for them`;
    return note('bench.cpu-bound', text, evidence);
  }
  const gains = sizes.some(({ size, verdict }) => size > baseline && verdict === 'better');
  if (busy > IDLE * effectiveCpus || !gains) return null;
  const text = `${name}: with ${baseline} threads only ${cpus} were busy while work waited in the queue; the pool was the bottleneck`;
  return note('bench.pool-bound', text, evidence);
};

/** A lookup of well under a millisecond spends its time on the event loop, not in the pool. */
const LEAST_LOOKUP_MS = 2;

/** From the time of one lookup alone and of all at once follows how many ran at a time; said only where this run shows it. */
const halfForLookups: Rule = ({ name, operations, unloadedLatencyMs, sizes }) => {
  if (name !== 'dns' || operations === null || unloadedLatencyMs === null) return null;
  const seen = sizes
    .filter(({ size }) => size >= 4 && operations >= 4 * size)
    .map(({ size, workMs }) => ({ size, concurrency: (operations * unloadedLatencyMs) / workMs }));
  const isShown = seen.every(({ size, concurrency }) => {
    const share = concurrency / slowJobLimit(size);
    return share <= 1.15 && share >= 0.7;
  });
  const largest = seen.at(-1);
  if (largest === undefined || unloadedLatencyMs < LEAST_LOOKUP_MS || !isShown) return null;
  const text = `dns: only half of the pool serves lookups: on ${largest.size} threads, ${largest.concurrency.toFixed(1)} of ${operations} lookups (${unloadedLatencyMs.toFixed(1)} ms each) ran at a time`;
  const [of, concurrency] = [seen.map(({ size }) => size), seen.map((one) => one.concurrency)];
  return note('bench.half-for-lookups', text, { sizes: of, concurrency, unloadedLatencyMs });
};

/** Once settled, narrow intervals around 1 are as good as a verdict. */
const unclear: Rule = (workload, { baseline }) =>
  !canJudge(workload) || workload.settled
    ? null
    : workload.sizes.flatMap(({ size, verdict, interval }) => {
        if (size === baseline || verdict !== 'unclear' || interval === null) return [];
        const between = interval.map(change).join(' and ');
        const text = `${workload.name}: ${size} compared with ${baseline} is unclear: its time changes by between ${between}; measure for longer (--time)`;
        return note('bench.unclear', text, { size, interval });
      });

const lookupsWithoutNetwork: Rule = ({ name }, { resolver }) => {
  if (name !== 'dns' || resolver === null) return null;
  const { mode, because, description } = resolver;
  const text = `dns: answered by ${description} (${because})`;
  return note('bench.lookups-without-network', text, { mode });
};

const filesInMemory: Rule = ({ name }, { filesystem: { type, isMemory } }) => {
  if ((name !== 'file' && name !== 'mixed') || isMemory !== true) return null;
  const text = `${name}: the files were on ${type}, which is memory, not a disk; set TMPDIR to a directory on a disk`;
  return warning('bench.files-in-memory', text, { filesystem: type });
};

/** Rounds of all sizes are hit alike, so it costs precision and not truth. */
const disturbed: Rule = ({ name, disturbances, method }) => {
  if (disturbances.length === 0 || method === null) return null;
  const kinds = [...new Set(disturbances.flatMap(({ what }) => what))];
  const text = `${name}: disturbances hit ${disturbances.length} of ${formatCount(method.generations, 'generation')} (${kinds.join(', ')}), and all sizes alike`;
  return note('bench.disturbed', text, {
    disturbedGenerations: disturbances.length,
    disturbances: kinds,
  });
};

const RULES: readonly Rule[] = [
  ...[noisy, lost, faster, tryLarger, smallerIsEnough, noGain, worse, eventLoopDelay, limit],
  ...[halfForLookups, unclear, lookupsWithoutNetwork, filesInMemory, disturbed],
];

const estimatesOnly: RuleForAll = (workloads) => {
  const short = workloads.filter(
    (workload) => !canJudge(workload) && workload.noise?.noisy === false && workload.sizes.length > 1,
  );
  if (short.length === 0) return null;
  const generations = short.map(({ method }) => method?.generations ?? 0);
  const text = `${list(short.map(({ name }) => name))}: these are estimates, not verdicts: the time allowed fewer than ${FIRST_LOOK} generations of processes; allow more time (--time), or reduce the work (--ops, --scale)`;
  return note('bench.estimates-only', text, { generations, least: FIRST_LOOK });
};

const oneSizeForAll: RuleForAll = (workloads, { baseline }) => {
  const known = workloads.filter(({ recommended }) => recommended !== null);
  const [first] = known;
  if (first === undefined || known.length === 1) return null;
  const names = list(known.map(({ name }) => name));
  const common = first.asGood.filter((size) => known.every(({ asGood }) => asGood.includes(size)));
  const evidence = Object.fromEntries(known.map(({ name, asGood }) => [name, asGood]));
  if (common.length === 0) {
    const text = `no measured size is as good as the best for all of ${names}: choose the best size for the work that matters most`;
    return advice('bench.no-size-for-all', text, evidence);
  }
  const size = Math.min(...common);
  const text = `${size} is the smallest size that is as good as the best for all of ${names}${size === baseline ? '; leave it unchanged' : ''}`;
  return advice('bench.one-size-for-all', text, { ...evidence, size });
};
