import { itemAt } from '../collections/item-at.js';
import type { Advice, Budget } from '../results/advice.js';
import type { Trace, TracedJob } from '../results/trace.js';
import { quantile } from '../stats/quantile.js';
import { splitOnThread } from './on-thread.js';

interface Spent {
  readonly job: TracedJob;
  readonly cpuMs: number;
  readonly blockedMs: number;
}

/** Where the time of the recorded jobs went: in all, and for each kind, the most frequent first. */
export function budgets({ processes }: Pick<Trace, 'processes'>): Pick<Advice['trace'], 'budget' | 'byKind'> {
  const all = processes.flatMap((process): Spent[] => {
    const { cpuMs, blockedMs } = splitOnThread(process);
    return process.jobs.map((job, index) => ({
      job,
      cpuMs: itemAt(cpuMs, index),
      blockedMs: itemAt(blockedMs, index),
    }));
  });
  const kinds = new Map<string, Spent[]>();
  for (const spent of all) {
    const same = kinds.get(spent.job.kind);
    if (same === undefined) kinds.set(spent.job.kind, [spent]);
    else same.push(spent);
  }
  return {
    budget: budgetOf(all),
    byKind: [...kinds]
      .sort(([, a], [, b]) => b.length - a.length)
      .map(([kind, spent]) => ({
        kind,
        jobs: spent.length,
        latencyMs: share(spent, ({ job }) => job.callbackMs - job.submitMs),
        budget: budgetOf(spent),
      })),
  };
}

const budgetOf = (spent: readonly Spent[]): Budget => ({
  queueWaitMs: share(spent, ({ job }) => job.startMs - job.submitMs),
  coreWaitMs: share(spent, ({ job, cpuMs, blockedMs }) => job.endMs - job.startMs - cpuMs - blockedMs),
  cpuMs: share(spent, ({ cpuMs }) => cpuMs),
  blockedMs: share(spent, ({ blockedMs }) => blockedMs),
  eventLoopMs: share(spent, ({ job }) => job.callbackMs - job.endMs),
});

function share(spent: readonly Spent[], pick: (one: Spent) => number): { mean: number; p99: number } {
  const values = spent.map((one) => Math.max(0, pick(one)));
  return {
    mean: values.reduce((sum, value) => sum + value, 0) / values.length,
    p99: quantile(values, 0.99),
  };
}
