import type { Statement } from '../../results/finding.js';
import type { TraceNote } from '../../results/trace.js';
import type { Budget } from '../../results/trace-summary.js';
import type { Program, ProgramFacts } from '../../trace/summary.js';
import { formatCount, formatDecimal, formatMs, percent } from '../format.js';
import { statement } from './finding.js';

/** A smaller share of the time from submission to callback is not worth a change. */
const WORTH = 0.1;
/** With this share of the cores in use, more threads would only share them. */
const FULL = 0.85;
/** With this share of the time on a thread spent waiting for a core, more threads would wait too. */
const STARVED = 0.25;
/** With this share of one core, the event loop has hardly a free moment. */
const LOOP_FULL = 0.85;

interface Wait {
  readonly share: number;
  readonly meanMs: number;
}

/**
 * The remedy: more threads, more cores, a freer event loop, or nothing. The largest of the three waits decides, if it is
 * worth a change.
 *
 * @param cores that the machine gives to all processes of the command together.
 */
export function traceAdvice({ facts, recordedMs, isSeen }: Program, cores: number): Statement {
  const { budget } = facts;
  if (budget === null) return isSeen ? unused(recordedMs) : statement('trace.unseen', UNSEEN);
  const total = budget.totalMs.mean;
  const wait = ({ mean }: { mean: number }): Wait => ({
    share: total === 0 ? 0 : mean / total,
    meanMs: mean,
  });
  const [queue, core, loop] = [wait(budget.queueWaitMs), wait(budget.coreWaitMs), wait(budget.eventLoopMs)];
  const largest = Math.max(queue.share, core.share, loop.share);
  if (largest < WORTH) return nothing(budget);
  if (largest === queue.share) return aboutQueue(facts, budget, cores, queue);
  if (largest === loop.share && largest !== core.share) return freerLoop(loop, facts.eventLoopCpuShare);
  const text = `more cores, or less other work on them: jobs that had a thread waited for a core for ${amount(core)}; more threads would not help`;
  return moreCores(text, { because: 'waited-for-core', ...core });
}

const UNSEEN = 'unclear: its jobs could not be recorded; the note below says why';

function unused(recordedMs: number): Statement {
  const text = `the app never used the pool in ${formatMs(recordedMs)}: its size cannot matter`;
  return statement('trace.unused', text, { recordedMs });
}

function nothing({ cpuMs, blockedMs }: Budget): Statement {
  const where =
    cpuMs.mean >= blockedMs.mean ? 'on CPU' : 'in the work itself, waiting for a disk, the network or a lock';
  const text = `nothing: jobs hardly wait, their time goes ${where}; another pool size would make no visible difference`;
  return statement('trace.nothing', text, { cpuMs: cpuMs.mean, blockedMs: blockedMs.mean });
}

const moreCores = (text: string, evidence: Statement['evidence']): Statement =>
  statement('trace.more-cores', text, evidence);

function aboutQueue(
  { coresUsed, kinds }: ProgramFacts,
  budget: Budget,
  cores: number,
  wait: Wait,
): Statement {
  const waited = `jobs waited for a pool thread for ${amount(wait)}`;
  const busy = `${formatDecimal(coresUsed ?? 0)} of ${formatCount(cores, 'core')} were busy`;
  if (coresUsed !== null && coresUsed >= FULL * cores) {
    const text = `more cores: ${waited}, but ${busy}; more threads would only share them`;
    return moreCores(text, { because: 'cores-busy', ...wait, coresUsed, cores });
  }
  const { coreWaitMs, cpuMs, blockedMs } = budget;
  const onThreadMs = coreWaitMs.mean + cpuMs.mean + blockedMs.mean;
  const coreWaitShare = onThreadMs === 0 ? 0 : coreWaitMs.mean / onThreadMs;
  if (coreWaitShare >= STARVED) {
    const text = `more cores, or less other work on them: ${waited}, but jobs on a thread spent ${percent(coreWaitShare)} % of their time there waiting for a core; more threads would wait too`;
    return moreCores(text, { because: 'threads-waited-for-core', ...wait, coreWaitShare });
  }
  const slowKinds = kinds.filter(({ slowIo, queued }) => slowIo && queued > 0).map(({ kind }) => kind);
  const lookups =
    slowKinds.length === 0
      ? ''
      : `; only half of the pool serves lookups (${slowKinds.join(', ')}): caching them or keeping connections open helps too`;
  const text = `more threads: ${waited}${coresUsed === null ? '' : ` while ${busy}`}${lookups}`;
  return statement('trace.more-threads', text, { ...wait, coresUsed, cores, slowKinds });
}

function freerLoop(wait: Wait, eventLoopCpuShare: number | null): Statement {
  const used = eventLoopCpuShare === null ? '' : `, which used ${percent(eventLoopCpuShare)} % of a core`;
  const late = `a freer event loop: results waited for the event loop for ${amount(wait)}${used}`;
  const evidence = { ...wait, eventLoopCpuShare };
  if (eventLoopCpuShare === null || eventLoopCpuShare >= LOOP_FULL) {
    const text = `${late}; move its work elsewhere or run more processes: another pool size would not help`;
    return statement('trace.event-loop-busy', text, evidence);
  }
  const text = `${late}: single long callbacks block it, or other threads take its core; another pool size would not help`;
  return statement('trace.event-loop-delay', text, evidence);
}

const amount = ({ share, meanMs }: Wait): string =>
  `${percent(share)} % of the time from submission to callback (mean ${formatMs(meanMs)})`;

export function traceNote(note: TraceNote): TraceNote & { text: string } {
  const text = NOTES[note.id]?.(note) ?? note.id;
  return { ...note, text: note.pid === undefined ? text : `process ${note.pid}: ${text}` };
}

const counted = ({ count = 0 }: TraceNote, one: string): string => `${count} ${one}${count === 1 ? '' : 's'}`;

const NOTES: Readonly<Record<string, (note: TraceNote) => string>> = {
  'trace.command-failed': ({ detail }) =>
    `the command ended with ${detail}; the recording up to its end counts`,
  'trace.killed': () => 'it was killed, or ended without notice; up to its last second is missing',
  'trace.unbalanced': (note) =>
    `${counted(note, 'event')} without a counterpart; these jobs are left out or inferred`,
  'trace.unfinished': (note) => `left out ${counted(note, 'job')} under way at the end of the recording`,
  'trace.bound': (note) => `recording stopped after ${counted(note, 'event')} (--max-events)`,
  'trace.inspector': ({ detail }) => `Node does not trace its pool here: ${detail}`,
  'trace.worker': ({ detail }) => `the recorder could not start: ${detail}`,
  'trace.other-tracing': () =>
    'not recorded: the process records trace events itself (--trace-event-categories)',
};
