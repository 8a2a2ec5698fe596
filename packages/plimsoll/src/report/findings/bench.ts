import type { Measured } from '../../bench/bench.js';
import { LARGEST_POOL_SIZE, slowJobLimit } from '../../libuv/pool-size.js';
import type { BenchResult, SizeResult, WorkloadResult } from '../../results/bench.js';
import type { Finding } from '../../results/finding.js';
import { FIRST_LOOK } from '../../stats/looks.js';
import { median } from '../../stats/quantile.js';
import { change, formatCount, formatMs, list, percent } from '../format.js';
import { finding } from './finding.js';

/** What the rules look at besides the workloads. */
export interface FindingContext {
  readonly baseline: number;
  readonly effectiveCpus: number;
  /** Filesystem of the temporary directory; `null` when unknown. */
  readonly filesystem: { readonly type: string | null; readonly isMemory: boolean | null };
  /** Who answered lookups; `null` when there were none. */
  readonly resolver: Measured['method']['dns'];
}

/** One rule: what it finds in one workload. */
type Rule = (workload: WorkloadResult, context: FindingContext) => Finding[];

/** What was measured, with its sentences. */
export function benchResultOf(measured: Measured): BenchResult {
  const { environment, method, workloads } = measured;
  const { dns } = method;
  return {
    ...measured,
    method: { ...method, dns: dns && { ...dns, because: whyResolver(dns) } },
    findings: findings(workloads, {
      baseline: method.baseline,
      effectiveCpus: environment.cpu.effectiveCpus,
      filesystem: environment.filesystem,
      resolver: dns,
    }),
  };
}

const RANK: Record<Finding['severity'], number> = { warning: 0, advice: 1, note: 2 };

/**
 * What a reader should learn from the workloads: every rule over every workload, and those across workloads. The most
 * severe come first. Each rests on the numbers of this result alone; docs/reference/findings.md explains every id.
 */
export function findings(workloads: readonly WorkloadResult[], context: FindingContext): Finding[] {
  const found = workloads.flatMap((workload) => RULES.flatMap((rule) => rule(workload, context)));
  return [...oneSizeForAll(workloads, context), ...estimatesOnly(workloads), ...found].toSorted(
    (a, b) => RANK[a.severity] - RANK[b.severity],
  );
}

const sizeIn = ({ sizes }: WorkloadResult, size: number | null): SizeResult | undefined =>
  sizes.find((result) => result.size === size);

/** Enough generations for a verdict, on a machine that was calm enough for one. */
export const canJudge = ({ noise, method }: WorkloadResult): boolean =>
  noise !== null && !noise.noisy && (method?.generations ?? 0) >= FIRST_LOOK;

const plural = (sizes: readonly unknown[], one: string, many: string): string =>
  sizes.length === 1 ? one : many;

/** Baseline and twin differ though they are the same: nothing else from this workload can be believed. */
const noisy: Rule = ({ name, noise }) =>
  noise?.noisy
    ? [
        finding(
          'warning',
          'bench.noisy',
          `${name}: NOISY: the baseline differs from itself by ${percent(noise.aaRatio - 1)} %; no ranking is given. Quieten the machine and run again`,
          { aaRatio: noise.aaRatio, aaInterval: noise.aaInterval && [...noise.aaInterval] },
        ),
      ]
    : [];

/** Sizes that dropped out on the way. */
const lost: Rule = ({ name, lost: out }) =>
  out.map(({ size, code, message }) =>
    finding('warning', 'bench.lost-size', `${name}: ${size} is out: ${message}`, { size, code }),
  );

const evidenceOf = ({ size, ratio, interval, chanceSlower }: SizeResult): Finding['evidence'] => ({
  size,
  ratio,
  interval: interval && [...interval],
  chanceSlower,
});

/** `21 % faster than 4 [17, 25]`: the share of the baseline's time that is saved or added, with its interval. */
function comparedWith(baseline: number, { ratio, interval }: SizeResult): string {
  const [low, high] = interval ?? [ratio, ratio];
  const bounds = ratio < 1 ? [1 - high, 1 - low] : [low - 1, high - 1];
  const signed = bounds.map((bound) => (bound < 0 ? `−${percent(bound)}` : percent(bound)));
  return `${percent(ratio - 1)} % ${ratio < 1 ? 'faster' : 'slower'} than ${baseline} [${signed.join(', ')}]`;
}

/** A larger pool is faster: the best reason to change the setting. */
const faster: Rule = (workload, { baseline }) => {
  const chosen = sizeIn(workload, workload.recommended);
  if (chosen?.verdict !== 'better') return [];
  const largerSizes = workload.sizes.map(({ size }) => size).filter((size) => size > chosen.size);
  const more = largerSizes.length === 0 ? '' : '; larger sizes gain nothing more';
  const text = `${workload.name}: ${chosen.size} is ${comparedWith(baseline, chosen)}${more}`;
  return [finding('advice', 'bench.faster', text, { ...evidenceOf(chosen), largerSizes })];
};

/** The largest measured size is the best one: a larger one may be better still. */
const tryLarger: Rule = (workload) => {
  const chosen = sizeIn(workload, workload.recommended);
  if (chosen?.verdict !== 'better' || chosen !== workload.sizes.at(-1) || chosen.size === LARGEST_POOL_SIZE)
    return [];
  const nextSizes = [2, 4].map((factor) => Math.min(LARGEST_POOL_SIZE, factor * chosen.size));
  const text = `${workload.name}: ${chosen.size} is the largest size that was measured, and the best; measure larger ones (--sizes ${[chosen.size, ...nextSizes].join(',')})`;
  return [finding('advice', 'bench.try-larger', text, { size: chosen.size, nextSizes })];
};

/** An expected loss that nobody needs to be told of. */
const NOTHING = 0.005;

/** Fewer threads than the baseline do as well. */
const smallerIsEnough: Rule = (workload, { baseline }) => {
  const chosen = sizeIn(workload, workload.recommended);
  if (chosen === undefined || chosen.size >= baseline || chosen.verdict === 'better') return [];
  const does =
    chosen.verdict === 'same' || chosen.expectedLoss < NOTHING
      ? `do as well as ${baseline}`
      : `are expected to lose ${percent(chosen.expectedLoss)} % against the best size`;
  const text = `${workload.name}: ${chosen.size} threads ${does}`;
  return [finding('advice', 'bench.smaller-is-enough', text, evidenceOf(chosen))];
};

/** No size beats the baseline: the size is not what limits this work. */
const noGain: Rule = (workload, { baseline }) => {
  if (!canJudge(workload) || workload.recommended !== baseline) return [];
  const larger = workload.sizes.filter(({ size }) => size > baseline);
  if (larger.length === 0) return [];
  const sizes = larger.map(({ size }) => size);
  const text = `${workload.name}: ${list(sizes)} ${plural(sizes, 'is', 'are')} no faster than ${baseline}`;
  return [finding('note', 'bench.no-gain', text, { sizes, ratios: larger.map(({ ratio }) => ratio) })];
};

/** More threads than the baseline, or fewer, take longer. */
const worse: Rule = ({ name, sizes }, { baseline }) =>
  sizes
    .filter(({ size, verdict }) => size !== baseline && verdict === 'worse')
    .map((result) => {
      const text = `${name}: ${result.size} is ${comparedWith(baseline, result)}`;
      return result.size > baseline
        ? finding('note', 'bench.slower', `${text}: the pool is not the limit`, evidenceOf(result))
        : finding('note', 'bench.too-small', `${text}: too few threads for this work`, evidenceOf(result));
    });

/** Sizes that are as fast as the best but delay the event loop, and with it every other request. */
const eventLoopDelay: Rule = (workload) => {
  const chosen = sizeIn(workload, workload.recommended);
  const late = workload.sizes.filter(({ size }) => workload.higherEventLoopDelay.includes(size));
  if (chosen === undefined || late.length === 0) return [];
  const sizes = late.map(({ size }) => size);
  const p99Ms = late.map(({ eventLoopDelayMs }) => eventLoopDelayMs.p99);
  const insteadOfP99Ms = chosen.eventLoopDelayMs.p99;
  const text = `${workload.name}: ${list(sizes)} ${plural(sizes, 'is', 'are')} no faster than ${chosen.size}, and the event-loop delay is ${list(p99Ms.map(formatMs))} (p99) instead of ${formatMs(insteadOfP99Ms)}`;
  const evidence = { sizes, p99Ms, insteadOf: chosen.size, insteadOfP99Ms };
  return [finding('advice', 'bench.event-loop-delay', text, evidence)];
};

/** CPUs that the rounds of a size kept busy, on average over the measured time. */
export const busyCpus = ({ rounds }: SizeResult, repetitions: number): number =>
  median(rounds.map((round) => (round.cpuSeconds * 1000) / (round.workMs * repetitions)));

const BUSY = 0.9;
const IDLE = 0.7;

/** The CPUs, or the pool, were the limit at the baseline. */
const limit: Rule = (workload, { baseline, effectiveCpus }) => {
  const { name, sizes, method } = workload;
  const base = sizeIn(workload, baseline);
  if (base === undefined || method === null || base.rounds.length === 0) return [];
  const busy = busyCpus(base, method.repetitions);
  const evidence = { size: baseline, busyCpus: busy, effectiveCpus };
  const cpus = `${busy.toFixed(1)} of ${effectiveCpus} CPUs`;
  if (busy >= BUSY * effectiveCpus) {
    const text = `${name}: ${baseline} threads already keep ${cpus} busy: more threads only compete for them`;
    return [finding('note', 'bench.cpu-bound', text, evidence)];
  }
  const gains = sizes.some(({ size, verdict }) => size > baseline && verdict === 'better');
  if (busy > IDLE * effectiveCpus || !gains) return [];
  const text = `${name}: with ${baseline} threads only ${cpus} were busy while work waited in the queue: the pool was the limit`;
  return [finding('note', 'bench.pool-bound', text, evidence)];
};

/** A lookup of well under a millisecond spends its time on the event loop, not in the pool. */
const LEAST_LOOKUP_MS = 2;

/**
 * Lookups are slow I/O. From the time of one lookup alone and of all at once follows how many really ran at a time;
 * it is said only when the numbers of this run show it.
 */
const halfForLookups: Rule = ({ name, operations, unloadedLatencyMs, sizes }) => {
  if (name !== 'dns' || operations === null || unloadedLatencyMs === null) return [];
  const seen = sizes.flatMap(({ size, workMs }) => {
    if (size < 4 || operations < 4 * size) return [];
    return [{ size, concurrency: (operations * unloadedLatencyMs) / workMs }];
  });
  const isShown = seen.every(
    ({ size, concurrency }) =>
      concurrency <= 1.15 * slowJobLimit(size) && concurrency >= 0.7 * slowJobLimit(size),
  );
  const largest = seen.at(-1);
  if (largest === undefined || unloadedLatencyMs < LEAST_LOOKUP_MS || !isShown) return [];
  const text = `dns: only half of the pool serves lookups: with ${largest.size} threads, ${operations} lookups of ${unloadedLatencyMs.toFixed(1)} ms ran ${largest.concurrency.toFixed(1)} at a time`;
  return [
    finding('note', 'bench.half-for-lookups', text, {
      sizes: seen.map(({ size }) => size),
      concurrency: seen.map(({ concurrency }) => concurrency),
      unloadedLatencyMs,
    }),
  ];
};

/** Sizes that could not be told from the baseline, nor shown to equal it. */
const unclear: Rule = (workload, { baseline }) => {
  // Once settled, narrow intervals around 1 are as good as a verdict.
  if (!canJudge(workload) || workload.settled) return [];
  return workload.sizes.flatMap(({ size, verdict, interval }) => {
    if (size === baseline || verdict !== 'unclear' || interval === null) return [];
    const [low, high] = interval;
    const text = `${workload.name}: ${size} against ${baseline} is unclear: its time lies between ${change(low)} and ${change(high)}; more time would tell (--time)`;
    return [finding('note', 'bench.unclear', text, { size, interval: [low, high] })];
  });
};

/** Why lookups were answered by this resolver. */
const whyResolver = ({ requested, refused }: NonNullable<FindingContext['resolver']>): string =>
  requested ? 'asked for' : refused.length === 0 ? 'the first choice works' : refused.join('; ');

/** Lookups that no network took part in. */
const lookupsWithoutNetwork: Rule = ({ name }, { resolver }) => {
  if (name !== 'dns' || resolver === null || resolver.mode === 'system') return [];
  const { mode, refused, description } = resolver;
  const text = `dns: answered by ${description} (${whyResolver(resolver)})`;
  return [finding('note', 'bench.lookups-without-network', text, { mode, refused })];
};

/** Files in memory say nothing about a disk. */
const filesInMemory: Rule = ({ name }, { filesystem: { type, isMemory } }) => {
  if ((name !== 'file' && name !== 'mixed') || isMemory !== true) return [];
  const text = `${name}: the files were on ${type}, which is memory, not a disk; set TMPDIR to a directory on one`;
  return [finding('warning', 'bench.files-in-memory', text, { filesystem: type })];
};

/** What the machine did meanwhile. Rounds of all sizes are hit alike, so it costs precision and not truth. */
const disturbed: Rule = ({ name, disturbances, method }) => {
  if (disturbances.length === 0 || method === null) return [];
  const kinds = [...new Set(disturbances.flatMap(({ what }) => what))];
  const text = `${name}: the machine was disturbed in ${disturbances.length} of ${formatCount(method.generations, 'generation')} (${kinds.join(', ')}), which hit all sizes alike`;
  const evidence = { disturbedGenerations: disturbances.length, disturbances: kinds };
  return [finding('note', 'bench.disturbed', text, evidence)];
};

const RULES: readonly Rule[] = [
  ...[noisy, lost, faster, tryLarger, smallerIsEnough, noGain, worse, eventLoopDelay, limit],
  ...[halfForLookups, unclear, lookupsWithoutNetwork, filesInMemory, disturbed],
];

/** Too few generations for any verdict. */
function estimatesOnly(workloads: readonly WorkloadResult[]): Finding[] {
  const short = workloads.filter(
    (workload) => !canJudge(workload) && workload.noise?.noisy === false && workload.sizes.length > 1,
  );
  if (short.length === 0) return [];
  const generations = short.map(({ method }) => method?.generations ?? 0);
  const text = `${list(short.map(({ name }) => name))}: estimates, not verdicts: there was no time for ${FIRST_LOOK} generations of processes; give more (--time), or less to do (--ops, --scale)`;
  return [finding('note', 'bench.estimates-only', text, { generations, least: FIRST_LOOK })];
}

/** One size that is as good as the best for all workloads, or that there is none. */
function oneSizeForAll(workloads: readonly WorkloadResult[], { baseline }: FindingContext): Finding[] {
  const [first, ...others] = workloads.filter(({ recommended }) => recommended !== null);
  if (first === undefined || others.length === 0) return [];
  const known = [first, ...others];
  const names = list(known.map(({ name }) => name));
  const common = first.asGood.filter((size) => others.every(({ asGood }) => asGood.includes(size)));
  const evidence = Object.fromEntries(known.map(({ name, asGood }) => [name, [...asGood]]));
  if (common.length === 0) {
    const text = `no measured size is as good as the best for all of ${names}: choose by the work that matters most`;
    return [finding('advice', 'bench.no-size-for-all', text, evidence)];
  }
  const size = Math.min(...common);
  const text = `${size} is the smallest size that is as good as the best for all of ${names}${size === baseline ? ': leave it as it is' : ''}`;
  return [finding('advice', 'bench.one-size-for-all', text, { ...evidence, size })];
}
