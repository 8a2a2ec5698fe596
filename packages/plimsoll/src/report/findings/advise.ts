import type { Predicted } from '../../advise/advise.js';
import type { NotFixed } from '../../advise/not-fixed.js';
import type { Choice, Reason, Refusal, Unit } from '../../advise/recommend.js';
import { DEFAULT_POOL_SIZE } from '../../libuv/pool-size.js';
import type { Advice, Objective, WhatIf } from '../../results/advice.js';
import type { Finding } from '../../results/finding.js';
import { change, formatCount, formatDecimal, formatMs, formatRate, list, percent } from '../format.js';
import { statement, type Texts } from './statement.js';

/** What was predicted, with its sentences. */
export const adviceOf = ({ recommended, findings, ...predicted }: Predicted): Advice => ({
  ...predicted,
  recommended: recommendedSize(recommended),
  findings: findings.map((found) => ({ ...statement(found, NOT_FIXED), severity: SEVERITY[found.id] })),
});

/** A choice with its reasons in words. */
export function recommendedSize({ size, confidence, reasons: facts }: Choice): Advice['recommended'] {
  const reasons = facts.map((fact) => statement(fact, REASONS));
  return { size, confidence, because: reasons.map(({ text }) => text).join('; '), reasons };
}

const SEVERITY: Record<NotFixed['id'], Finding['severity']> = {
  'advise.overloaded': 'warning',
  'advise.no-size-helps': 'advice',
  'advise.cores-saturated': 'advice',
  'advise.event-loop-busy': 'advice',
  'advise.waits-for-event-loop': 'advice',
  'advise.blocked-outside': 'advice',
  'advise.lookups-behind-others': 'note',
  'advise.pool-not-the-limit': 'note',
  'advise.others-on-the-machine': 'warning',
};

const NOT_FIXED: Texts<NotFixed> = {
  'advise.overloaded': ({ sizes, arrivingPerSecond, servedPerSecond, isEverywhere }) =>
    `${formatRate(arrivingPerSecond)} requests a second come, ${isEverywhere ? `more than any of these sizes can serve (at most ${formatRate(servedPerSecond)})` : `more than can be served at ${list(sizes)}`}: the queue grows for ever there, and so does every latency`,
  'advise.no-size-helps': ({ objective, unit, size, value, standardSize, standardValue }) =>
    size === standardSize
      ? `no size helps: none is better than ${standardSize}, the default (${VALUE[objective](standardValue, unit)})`
      : `no size helps: the best, ${size}, comes to ${VALUE[objective](value, unit)}, the default, ${standardSize}, to ${VALUE[objective](standardValue, unit)}`,
  'advise.cores-saturated': ({ size, limit, cores, coresUsed }) =>
    `the ${limit} (${cores}) would be busy ${percent(Math.min(1, coresUsed / cores))} % of the time at ${size}: only more of it, or less work, makes this faster; see --cores, --quota, --faster`,
  'advise.event-loop-busy': ({ busyShare }) =>
    `the event loop computes ${percent(Math.min(1, busyShare))} % of the time: results wait for it, whatever the size; move work off it`,
  'advise.waits-for-event-loop': ({ eventLoopMs, latencyShare }) =>
    `results were ready for ${formatMs(eventLoopMs)} on average before the event loop took them, ${percent(latencyShare)} % of the latency`,
  'advise.blocked-outside': ({ size, blockedMs, latencyMs }) =>
    `${formatMs(blockedMs)} of ${formatMs(latencyMs)} are neither queue nor CPU at ${size}: a disk, a resolver, a lock; a pool can only have more of them wait at the same time`,
  'advise.lookups-behind-others': ({ size, lookups, jobs, threadsForLookups }) =>
    `${lookups} of ${jobs} jobs are lookups: with a backlog one of them is served for each pass of the queue, and at most ${threadsForLookups} of ${size} threads serve them; keep connections alive, cache names or use dns.resolve`,
  'advise.pool-not-the-limit': ({ size, queueWaitMs, serviceMs }) =>
    `with ${size} threads a job waits ${formatMs(queueWaitMs)} for one on average and takes ${formatMs(serviceMs)}: the pool is not what holds this up`,
  'advise.others-on-the-machine': ({ outsideCores, cores }) =>
    `while this was recorded others had ${formatDecimal(outsideCores)} of ${cores} cores: the predictions have that stay; record on a quieter machine if it will not`,
};

const KEEP = 'keep the default:';

const REASONS: Texts<Reason> = {
  'advise.too-few-jobs': ({ jobs }) =>
    `${KEEP} only ${formatCount(jobs, 'job')} ${jobs === 1 ? 'was' : 'were'} recorded; record for longer`,
  'advise.cores-taken': ({ coresShare }) =>
    `${KEEP} while this was recorded others used about ${percent(coresShare)} % of the cores; record on a quieter machine`,
  'advise.no-size-fits': () => `${KEEP} no size is allowed by the limits of this machine`,
  'advise.weak-evidence': ({ size, share }) =>
    `${KEEP} the evidence is too weak: ${size} was as good as the best in only ${percent(share)} % of the resampled runs`,
  'advise.predicted': ({ objective, unit, value, ratio }) =>
    `${VALUE[objective](value, unit)}${ratio === null ? '' : `, ${change(ratio)} against ${DEFAULT_POOL_SIZE}`}`,
  'advise.little-gain': ({ objective, unit, size, value }) =>
    `larger sizes gain little: ${size} comes to ${VALUE[objective](value, unit)}`,
  'advise.tail-pays': ({
    objective,
    unit,
    size,
    value,
    p99Ms,
    insteadOfP99Ms,
    loopP99Ms,
    insteadOfLoopP99Ms,
  }) =>
    `others would pay for ${VALUE[objective](value, unit)} at ${size}: p99 ${formatMs(p99Ms)} instead of ${formatMs(insteadOfP99Ms)}, event-loop delay (p99) ${formatMs(loopP99Ms)} instead of ${formatMs(insteadOfLoopP99Ms)}`,
  'advise.no-better-size': () => 'no other size is better',
  'advise.event-loop-delay': ({ size, p99Ms, insteadOfP99Ms }) =>
    `larger pools delay the event loop: ${formatMs(p99Ms)} (p99) at ${size} instead of ${formatMs(insteadOfP99Ms)}`,
  'advise.refused': ({ sizes, refusal, threads }) => `${list(sizes)} refused: ${REFUSALS[refusal](threads)}`,
};

const VALUE: Record<Objective, (value: number, unit: Unit) => string> = {
  mean: (ms, unit) => `${formatMs(ms)} mean latency of ${unit === 'operation' ? 'an' : 'a'} ${unit}`,
  p99: (ms, unit) => `${formatMs(ms)} latency of ${unit === 'operation' ? 'an' : 'a'} ${unit} (p99)`,
  makespan: (ms) => `${formatMs(ms)} in all`,
  throughput: (perSecond, unit) => `${formatRate(perSecond)} ${unit}s a second`,
};

const REFUSALS: Record<Refusal, (threads: number) => string> = {
  overloaded: () => 'more requests come than it can serve',
  'one-thread-for-lookups': () => 'with one thread a single slow lookup holds up everything',
  'process-limit': (threads) =>
    `${threads} threads do not fit under the limit of processes, and libuv aborts when it cannot create one`,
  'memory-limit': () => 'its threads alone would take a tenth of the memory limit',
  'slower-at-worst': () => `at worst it is slower than ${DEFAULT_POOL_SIZE}`,
};

/** The changes in words, none for no change. */
export const whatIfLines = ({ cores, quota, without, faster, instances }: WhatIf): string[] => [
  ...(cores === null ? [] : [formatCount(cores, 'core')]),
  ...(quota === null ? [] : [`a quota of ${quota} ${quota === 1 ? 'core' : 'cores'}`]),
  ...without.map((kind) => `without ${kind}`),
  ...faster.map(({ kind, factor }) => `${kind} ${factor} times as fast`),
  ...(instances === null ? [] : [`${instances} ${instances === 1 ? 'process' : 'processes'}`]),
];
