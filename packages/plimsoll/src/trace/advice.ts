import type { TracedProgram } from '../results/trace-summary.js';

/** A wait that is a smaller share of the time from submission to callback is not worth a change. */
const WORTH = 0.1;
/** Of the cores that the process can get so much was used: more threads would only share them. */
const FULL = 0.85;
/** Of the time on a thread so much was spent waiting for a core: other threads or processes were in the way. */
const STARVED = 0.25;
/** Of one core: the event loop had hardly a free moment. */
const LOOP_FULL = 0.85;

/** The largest wait of the jobs: its share of the time from submission to callback, and its mean. */
interface Wait {
  readonly share: number;
  readonly meanMs: number;
}

/** What to do, with the numbers that it rests on; `report/` says it in a sentence. */
export type AdviceFact =
  | { readonly id: 'trace.unseen' }
  | { readonly id: 'trace.unused'; readonly recordedMs: number }
  | { readonly id: 'trace.nothing'; readonly cpuMs: number; readonly blockedMs: number }
  | ({
      readonly id: 'trace.more-threads';
      readonly coresUsed: number | null;
      readonly cores: number;
      /** Kinds of slow I/O that queued. */
      readonly slowKinds: readonly string[];
    } & Wait)
  | ({ readonly id: 'trace.more-cores'; readonly because: 'waited-for-core' } & Wait)
  | ({
      readonly id: 'trace.more-cores';
      readonly because: 'cores-busy';
      readonly coresUsed: number;
      readonly cores: number;
    } & Wait)
  | ({
      readonly id: 'trace.more-cores';
      readonly because: 'threads-waited-for-core';
      /** Of the time that jobs had a thread. */
      readonly coreWaitShare: number;
    } & Wait)
  | ({ readonly id: 'trace.event-loop-busy'; readonly eventLoopCpuShare: number | null } & Wait)
  | ({ readonly id: 'trace.event-loop-delay'; readonly eventLoopCpuShare: number } & Wait);

type Facts = Omit<TracedProgram, 'advice'>;
type Budget = NonNullable<Facts['budget']>;

/** What the jobs do not tell. */
export interface Circumstances {
  /** Cores that the machine gives to all processes of the command together. */
  readonly cores: number;
  readonly recordedMs: number;
  /** Whether every process could be looked into. */
  readonly isSeen: boolean;
}

/**
 * What to do about where the time of the jobs went: more threads, more cores, a freer event loop, or nothing. The largest
 * of the three waits decides, if it is worth it at all.
 */
export function adviceOf(program: Facts, { cores, recordedMs, isSeen }: Circumstances): AdviceFact {
  const { budget } = program;
  if (budget === null) return isSeen ? { id: 'trace.unused', recordedMs } : { id: 'trace.unseen' };
  const total = budget.totalMs.mean;
  const waits = ([budget.queueWaitMs, budget.coreWaitMs, budget.eventLoopMs] as const).map(({ mean }) => ({
    share: total === 0 ? 0 : mean / total,
    meanMs: mean,
  })) as [Wait, Wait, Wait];
  const [queue, core, eventLoop] = waits;
  const worst = waits.reduce((most, wait) => (wait.share > most.share ? wait : most));
  if (worst.share < WORTH)
    return { id: 'trace.nothing', cpuMs: budget.cpuMs.mean, blockedMs: budget.blockedMs.mean };
  if (worst === queue) return aboutQueue(program, budget, cores, queue);
  if (worst === core) return { id: 'trace.more-cores', because: 'waited-for-core', ...core };
  const { eventLoopCpuShare } = program;
  return eventLoopCpuShare !== null && eventLoopCpuShare < LOOP_FULL
    ? { id: 'trace.event-loop-delay', ...eventLoop, eventLoopCpuShare }
    : { id: 'trace.event-loop-busy', ...eventLoop, eventLoopCpuShare };
}

function aboutQueue({ coresUsed, kinds }: Facts, budget: Budget, cores: number, wait: Wait): AdviceFact {
  if (coresUsed !== null && coresUsed >= FULL * cores)
    return { id: 'trace.more-cores', because: 'cores-busy', ...wait, coresUsed, cores };
  const { coreWaitMs, cpuMs, blockedMs } = budget;
  const onThreadMs = coreWaitMs.mean + cpuMs.mean + blockedMs.mean;
  const coreWaitShare = onThreadMs === 0 ? 0 : coreWaitMs.mean / onThreadMs;
  if (coreWaitShare >= STARVED)
    return { id: 'trace.more-cores', because: 'threads-waited-for-core', ...wait, coreWaitShare };
  const slowKinds = kinds.filter(({ slowIo, queued }) => slowIo && queued > 0).map(({ kind }) => kind);
  return { id: 'trace.more-threads', ...wait, coresUsed, cores, slowKinds };
}
