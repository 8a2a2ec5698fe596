import type { Predicted } from '../../advise/advise.js';
import type { NotFixed } from '../../advise/not-fixed.js';
import { DEFAULT_POOL_SIZE } from '../../libuv/pool-size.js';
import type { Advice, Objective, Reason, WhatIf } from '../../results/advice.js';
import type { Finding } from '../../results/finding.js';
import { change, list, percent } from '../../results/words.js';
import { formatMs, formatRate } from '../format.js';

/** What was predicted, with its sentences. */
export const adviceOf = (predicted: Predicted): Advice => ({
  ...predicted,
  recommended: {
    ...predicted.recommended,
    because: because(predicted.recommended.reasons, predicted.method.objective),
  },
  findings: predicted.findings.map(
    (found): Finding => ({
      id: found.id,
      severity: SEVERITY[found.id],
      text: textOf(found),
      evidence: found.evidence,
    }),
  ),
});

const SEVERITY: Record<NotFixed['id'], Finding['severity']> = {
  'advise.cores-saturated': 'advice',
  'advise.event-loop-busy': 'advice',
  'advise.waits-for-event-loop': 'advice',
  'advise.blocked-outside': 'advice',
  'advise.lookups-behind-others': 'note',
  'advise.pool-not-the-limit': 'note',
  'advise.others-on-the-machine': 'warning',
};

function textOf({ id, evidence: e }: NotFixed): string {
  switch (id) {
    case 'advise.cores-saturated':
      return `the ${e.limit} (${e.cores}) would be busy ${percent(Math.min(1, e.coresUsed / e.cores))} % of the time at ${e.size}: only more of it, or less work, makes this faster; see --cores, --quota, --faster`;
    case 'advise.event-loop-busy':
      return `the event loop computes ${percent(Math.min(1, e.busyShare))} % of the time: results wait for it, whatever the size; move work off it`;
    case 'advise.waits-for-event-loop':
      return `results were ready for ${formatMs(e.eventLoopWaitMs)} on average before the event loop took them, ${percent(e.latencyShare)} % of the latency`;
    case 'advise.blocked-outside':
      return `${formatMs(e.blockedMs)} of ${formatMs(e.latencyMs)} are neither queue nor CPU at ${e.size}: a disk, a resolver, a lock; a pool can only have more of them wait at the same time`;
    case 'advise.lookups-behind-others':
      return `${e.lookups} of ${e.jobs} jobs are lookups: with a backlog one of them is served for each pass of the queue, and at most ${e.threadsForLookups} of ${e.size} threads serve them; keep connections alive, cache names or use dns.resolve`;
    case 'advise.pool-not-the-limit':
      return `with ${e.size} threads a job waits ${formatMs(e.queueWaitMs)} for one on average and takes ${formatMs(e.serviceMs)}: the pool is not what holds this up`;
    case 'advise.others-on-the-machine':
      return `while this was recorded others had ${e.outsideCores.toFixed(1)} of ${e.cores} cores: the predictions have that stay; record on a quieter machine if it will not`;
  }
}

/** Why a size is recommended. */
export const because = (reasons: readonly Reason[], objective: Objective): string =>
  reasons.map((reason) => reasonText(reason, objective)).join('; ');

function reasonText(reason: Reason, objective: Objective): string {
  switch (reason.id) {
    case 'too-few-jobs':
      return `keep the default: only ${reason.jobs} ${reason.jobs === 1 ? 'job was' : 'jobs were'} recorded; record for longer`;
    case 'others-on-the-machine':
      return `keep the default: while this was recorded others used about ${percent(reason.coresShare)} % of the cores; record on a quieter machine`;
    case 'no-size-fits':
      return 'keep the default: no size is allowed by the limits of this machine';
    case 'weak-evidence':
      return `keep the default: the evidence is too weak: ${reason.size} was as good as the best in only ${percent(reason.resamplesShare)} % of the resampled runs`;
    case 'predicted': {
      const ratio = reason.ratio === null ? '' : `, ${change(reason.ratio)} against ${DEFAULT_POOL_SIZE}`;
      return figureText(reason.value, objective) + ratio;
    }
    case 'little-gain':
      return `larger sizes gain little: ${reason.size} comes to ${figureText(reason.value, objective)}`;
    case 'no-better-size':
      return 'no other size is better';
    case 'event-loop-delay':
      return `larger pools delay the event loop: ${formatMs(reason.eventLoopDelayP99Ms)} (p99) at ${reason.size} instead of ${formatMs(reason.recommendedP99Ms)}`;
    case 'refused':
      return `${list(reason.sizes)} refused: ${refusalText(reason)}`;
  }
}

function refusalText({ refusal, threads }: Extract<Reason, { id: 'refused' }>): string {
  switch (refusal) {
    case 'one-thread-for-lookups':
      return 'with one thread a single slow lookup holds up everything';
    case 'process-limit':
      return `${threads} threads do not fit under the limit of processes, and libuv aborts when it cannot create one`;
    case 'memory-limit':
      return 'its threads alone would take a tenth of the memory limit';
    case 'slower-at-worst':
      return `at worst it is slower than ${DEFAULT_POOL_SIZE}`;
  }
}

function figureText(value: number, objective: Objective): string {
  switch (objective) {
    case 'mean':
      return `${formatMs(value)} mean latency`;
    case 'p99':
      return `${formatMs(value)} latency (p99)`;
    case 'makespan':
      return `${formatMs(value)} in all`;
    case 'throughput':
      return `${formatRate(value)} jobs a second`;
  }
}

/** The changes in words, none for no change. */
export const whatIfLines = ({ cores, quota, without, faster, instances }: WhatIf): string[] => [
  ...(cores === null ? [] : [`${cores} ${cores === 1 ? 'core' : 'cores'}`]),
  ...(quota === null ? [] : [`a quota of ${quota} ${quota === 1 ? 'core' : 'cores'}`]),
  ...without.map((kind) => `without ${kind}`),
  ...faster.map(({ kind, factor }) => `${kind} ${factor} times as fast`),
  ...(instances === null ? [] : [`${instances} ${instances === 1 ? 'process' : 'processes'}`]),
];
