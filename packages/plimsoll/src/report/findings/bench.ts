import type { Measured } from '../../bench/bench.js';
import { LARGEST_POOL_SIZE, slowJobLimit } from '../../libuv/pool-size.js';
import type { BenchResult, SizeResult, WorkloadResult } from '../../results/bench.js';
import type { Finding } from '../../results/finding.js';
import { FIRST_LOOK } from '../../stats/looks.js';
import { median } from '../../stats/quantile.js';
import { formatCount, formatMs, list, percent, verb } from '../format.js';
import { advice, findAll, note, type RuleOver, warning } from './finding.js';

type Context = Pick<Measured, 'environment' | 'method'>;
type Rule = RuleOver<[workload: WorkloadResult, context: Context]>;

export const benchResultOf = (measured: Measured): BenchResult => ({
  ...measured,
  findings: findings(measured.workloads, measured),
});

const RANK: Record<Finding['severity'], number> = { warning: 0, advice: 1, note: 2 };

/** What the tables and verdicts do not say, the most severe first; docs/reference/findings.md explains every id. */
export function findings(workloads: readonly WorkloadResult[], context: Context): Finding[] {
  const found = workloads.flatMap((workload) => findAll(RULES, workload, context));
  return [...findAll([estimatesOnly], workloads), ...found].toSorted(
    (a, b) => RANK[a.severity] - RANK[b.severity],
  );
}

const sizeIn = ({ sizes }: WorkloadResult, size: number | null): SizeResult | undefined =>
  sizes.find((result) => result.size === size);

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

const tryLarger: Rule = ({ name, sizes, recommended }) => {
  const largest = sizes.at(-1);
  if (largest?.size !== recommended || largest.verdict !== 'better' || recommended === LARGEST_POOL_SIZE)
    return null;
  const { size } = largest;
  const nextSizes = [2, 4].map((factor) => Math.min(LARGEST_POOL_SIZE, factor * size));
  const text = `${name}: ${size} is the largest size measured, and the best; measure larger sizes too (--sizes ${[size, ...nextSizes].join(',')})`;
  return advice('bench.try-larger', text, { size, nextSizes });
};

const eventLoopDelay: Rule = (workload) => {
  const chosen = sizeIn(workload, workload.recommended);
  const late = workload.sizes.filter(({ size }) => workload.higherEventLoopDelay.includes(size));
  if (chosen === undefined || late.length === 0) return null;
  const sizes = late.map(({ size }) => size);
  const p99Ms = late.map(({ eventLoopDelayMs }) => eventLoopDelayMs.p99);
  const insteadOfP99Ms = chosen.eventLoopDelayMs.p99;
  const text = `${workload.name}: ${list(sizes)} ${verb(sizes, 'is', 'are')} no faster than ${chosen.size}, and ${verb(sizes, 'raises', 'raise')} the p99 event-loop delay from ${formatMs(insteadOfP99Ms)} to ${list(p99Ms.map(formatMs))}`;
  return advice('bench.event-loop-delay', text, { sizes, p99Ms, insteadOf: chosen.size, insteadOfP99Ms });
};

export const busyCpus = ({ rounds }: SizeResult, repetitions: number): number =>
  median(rounds.map((round) => (round.cpuSeconds * 1000) / (round.workMs * repetitions)));

const BUSY = 0.9;
const IDLE = 0.7;

const limit: Rule = (workload, { environment, method: { baseline } }) => {
  const { name, sizes, method } = workload;
  const { effectiveCpus } = environment.cpu;
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

/** The time of one lookup alone and of all together says how many ran at a time; reported only if this run shows it. */
const halfForLookups: Rule = ({ name, operations, unloadedLatencyMs, sizes: measured }) => {
  if (name !== 'dns' || operations === null || (unloadedLatencyMs ?? 0) < LEAST_LOOKUP_MS) return null;
  const aloneMs = Number(unloadedLatencyMs);
  const seen = measured.filter(({ size }) => size >= 4 && operations >= 4 * size);
  const sizes = seen.map(({ size }) => size);
  const concurrency = seen.map(({ workMs }) => (operations * aloneMs) / workMs);
  const shares = concurrency.map((running, index) => running / slowJobLimit(sizes[index] as number));
  if (sizes.length === 0 || shares.some((share) => share > 1.15 || share < 0.7)) return null;
  const text = `dns: only half of the pool serves lookups: on ${sizes.at(-1)} threads, ${concurrency.at(-1)?.toFixed(1)} of ${operations} lookups (${aloneMs.toFixed(1)} ms each) ran at a time`;
  return note('bench.half-for-lookups', text, { sizes, concurrency, unloadedLatencyMs });
};

const lookupsWithoutNetwork: Rule = ({ name }, { method: { dns } }) =>
  name === 'dns' &&
  dns !== null &&
  note('bench.lookups-without-network', `dns: answered by ${dns.description} (${dns.because})`, {
    mode: dns.mode,
  });

const filesInMemory: Rule = ({ name }, { environment }) => {
  const { type, isMemory } = environment.filesystem;
  if ((name !== 'file' && name !== 'mixed') || isMemory !== true) return null;
  const text = `${name}: the files were on ${type}, which is memory, not a disk; set TMPDIR to a directory on a disk`;
  return warning('bench.files-in-memory', text, { filesystem: type });
};

/** A disturbance hits the rounds of all sizes alike, so it costs precision and not truth. */
const disturbed: Rule = ({ name, disturbances: all, method }) => {
  if (all.length === 0 || method === null) return null;
  const disturbances = [...new Set(all.flatMap(({ what }) => what))];
  const text = `${name}: disturbances hit ${all.length} of ${formatCount(method.generations, 'generation')} (${disturbances.join(', ')}), and all sizes alike`;
  return note('bench.disturbed', text, { disturbedGenerations: all.length, disturbances });
};

const RULES: readonly Rule[] = [
  ...[noisy, lost, tryLarger, eventLoopDelay, limit],
  ...[halfForLookups, lookupsWithoutNetwork, filesInMemory, disturbed],
];

const estimatesOnly: RuleOver<[workloads: readonly WorkloadResult[]]> = (workloads) => {
  const short = workloads.filter(
    (workload) => !canJudge(workload) && workload.noise?.noisy === false && workload.sizes.length > 1,
  );
  if (short.length === 0) return null;
  const generations = short.map(({ method }) => method?.generations ?? 0);
  const text = `${list(short.map(({ name }) => name))}: these are estimates, not verdicts: the time allowed fewer than ${FIRST_LOOK} generations of processes; allow more time (--time), or reduce the work (--ops, --scale)`;
  return note('bench.estimates-only', text, { generations, least: FIRST_LOOK });
};
