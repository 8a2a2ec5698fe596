import { LARGEST_POOL_SIZE } from '../../libuv/pool-size.js';
import type { SizeResult } from '../../results/bench.js';
import type { Finding } from '../../results/finding.js';
import { list, percent } from '../format.js';
import { busyCpus, canJudge, sizeOf, type WorkloadRule } from './context.js';

const evidenceOf = ({ size, ratio, interval, chanceSlower }: SizeResult): Finding['evidence'] => ({
  size,
  ratio,
  interval: interval === null ? null : [...interval],
  chanceSlower,
});

/** A larger pool is faster: the best reason to change the setting. */
export const faster: WorkloadRule = (workload, { baseline }) => {
  const chosen = sizeOf(workload, workload.recommended);
  if (chosen === undefined || chosen.verdict !== 'better') return [];
  const largerSizes = workload.sizes.map(({ size }) => size).filter((size) => size > chosen.size);
  const text = `${workload.name}: ${chosen.size} is ${comparedWith(baseline, chosen)}`;
  return [
    {
      id: 'bench.faster',
      severity: 'advice',
      text: largerSizes.length === 0 ? text : `${text}; larger sizes gain nothing more`,
      evidence: { ...evidenceOf(chosen), largerSizes },
    },
  ];
};

/** The largest measured size is the best one: a larger one may be better still. */
export const tryLarger: WorkloadRule = (workload) => {
  const chosen = sizeOf(workload, workload.recommended);
  const largest = workload.sizes.at(-1);
  if (
    chosen === undefined ||
    chosen !== largest ||
    chosen.verdict !== 'better' ||
    chosen.size === LARGEST_POOL_SIZE
  )
    return [];
  const nextSizes = [2, 4].map((factor) => Math.min(LARGEST_POOL_SIZE, factor * chosen.size));
  return [
    {
      id: 'bench.try-larger',
      severity: 'advice',
      text: `${workload.name}: ${chosen.size} is the largest size that was measured, and the best; measure larger ones (--sizes ${[chosen.size, ...nextSizes].join(',')})`,
      evidence: { size: chosen.size, nextSizes },
    },
  ];
};

/** A pool with more threads than the baseline takes longer. */
export const slower: WorkloadRule = (workload, { baseline }) =>
  workload.sizes
    .filter(({ size, verdict }) => size > baseline && verdict === 'worse')
    .map((result) => ({
      id: 'bench.slower',
      severity: 'note',
      text: `${workload.name}: ${result.size} is ${comparedWith(baseline, result)}: the pool is not the limit`,
      evidence: evidenceOf(result),
    }));

/** A pool with fewer threads than the baseline takes longer. */
export const tooSmall: WorkloadRule = (workload, { baseline }) =>
  workload.sizes
    .filter(({ size, verdict }) => size < baseline && verdict === 'worse')
    .map((result) => ({
      id: 'bench.too-small',
      severity: 'note',
      text: `${workload.name}: ${result.size} is ${comparedWith(baseline, result)}: too few threads for this work`,
      evidence: evidenceOf(result),
    }));

/** No size beats the baseline: the size is not what limits this work. */
export const noGain: WorkloadRule = (workload, { baseline }) => {
  if (!canJudge(workload) || workload.recommended !== baseline) return [];
  const larger = workload.sizes.filter(({ size }) => size > baseline);
  if (larger.length === 0) return [];
  return [
    {
      id: 'bench.no-gain',
      severity: 'note',
      text: `${workload.name}: ${list(larger.map(({ size }) => size))} ${larger.length === 1 ? 'is' : 'are'} no faster than ${baseline}`,
      evidence: { sizes: larger.map(({ size }) => size), ratios: larger.map(({ ratio }) => ratio) },
    },
  ];
};

/** An expected loss that nobody needs to be told of. */
const NOTHING = 0.005;

/** Fewer threads than the baseline do as well. */
export const smallerIsEnough: WorkloadRule = (workload, { baseline }) => {
  const chosen = sizeOf(workload, workload.recommended);
  if (chosen === undefined || chosen.size >= baseline || chosen.verdict === 'better') return [];
  return [
    {
      id: 'bench.smaller-is-enough',
      severity: 'advice',
      text:
        chosen.verdict === 'same' || chosen.expectedLoss < NOTHING
          ? `${workload.name}: ${chosen.size} threads do as well as ${baseline}`
          : `${workload.name}: ${chosen.size} threads are expected to lose ${percent(chosen.expectedLoss)} % against the best size`,
      evidence: evidenceOf(chosen),
    },
  ];
};

const BUSY = 0.9;
const IDLE = 0.7;

/** The CPUs, or the pool, were the limit at the baseline. */
export const limit: WorkloadRule = (workload, { baseline, effectiveCpus }) => {
  const base = sizeOf(workload, baseline);
  if (base === undefined || workload.method === null || base.rounds.length === 0) return [];
  const busy = busyCpus(base, workload.method.repetitions);
  const evidence = { size: baseline, busyCpus: busy, effectiveCpus };
  if (busy >= BUSY * effectiveCpus)
    return [
      {
        id: 'bench.cpu-bound',
        severity: 'note',
        text: `${workload.name}: ${baseline} threads already keep ${busy.toFixed(1)} of ${effectiveCpus} CPUs busy: more threads only compete for them`,
        evidence,
      },
    ];
  const larger = workload.sizes.find(({ size, verdict }) => size > baseline && verdict === 'better');
  if (busy <= IDLE * effectiveCpus && larger !== undefined)
    return [
      {
        id: 'bench.pool-bound',
        severity: 'note',
        text: `${workload.name}: with ${baseline} threads only ${busy.toFixed(1)} of ${effectiveCpus} CPUs were busy while work waited in the queue: the pool was the limit`,
        evidence,
      },
    ];
  return [];
};

/** `21 % faster than 4 [17, 25]`: the share of the baseline's time that is saved or added, with its interval. */
export function comparedWith(baseline: number, { ratio, interval }: SizeResult): string {
  const [low, high] = interval ?? [ratio, ratio];
  const bounds = ratio < 1 ? [1 - high, 1 - low] : [low - 1, high - 1];
  const signed = bounds.map((bound) => (bound < 0 ? `−${percent(bound)}` : percent(bound)));
  return `${percent(ratio - 1)} % ${ratio < 1 ? 'faster' : 'slower'} than ${baseline} [${signed.join(', ')}]`;
}
