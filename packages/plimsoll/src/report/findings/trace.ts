import type { Statement } from '../../results/finding.js';
import type { TraceNote } from '../../results/trace.js';
import type { AdviceFact } from '../../trace/advice.js';
import { formatCount, formatDecimal, formatMs, percent } from '../format.js';
import { statement, type Texts } from './statement.js';

/** What to do about the waits of a program, in one sentence. */
export const traceAdvice = (fact: AdviceFact): Statement => statement(fact, TEXTS);

type Wait = Pick<Extract<AdviceFact, { share: number }>, 'share' | 'meanMs'>;
type MoreCores = Extract<AdviceFact, { id: 'trace.more-cores' }>;

const TEXTS: Texts<AdviceFact> = {
  'trace.unseen': () => 'unclear: its jobs could not be recorded; the note below says why',
  'trace.unused': ({ recordedMs }) =>
    `the app never used the pool in ${formatMs(recordedMs)}: its size cannot matter`,
  'trace.nothing': ({ cpuMs, blockedMs }) =>
    `nothing: jobs hardly wait, their time goes ${cpuMs >= blockedMs ? 'on CPU' : 'in the work itself, waiting for a disk, the network or a lock'}; another pool size would make no visible difference`,
  'trace.more-threads': ({ coresUsed, cores, slowKinds, ...wait }) =>
    `more threads: jobs waited for a pool thread for ${amount(wait)}${coresUsed === null ? '' : ` while ${busy(coresUsed, cores)}`}${lookups(slowKinds)}`,
  'trace.more-cores': (fact) => moreCores(fact),
  'trace.event-loop-busy': ({ eventLoopCpuShare, ...wait }) =>
    `a freer event loop: ${late(wait, eventLoopCpuShare)}; move its work away or run more processes, another pool size would not help`,
  'trace.event-loop-delay': ({ eventLoopCpuShare, ...wait }) =>
    `a freer event loop: ${late(wait, eventLoopCpuShare)}: single long callbacks block it, or other threads have its core; another pool size would not help`,
};

function moreCores(fact: MoreCores): string {
  switch (fact.because) {
    case 'waited-for-core':
      return `more cores, or less other work on them: jobs that had a thread waited for a core for ${amount(fact)}; more threads would not help`;
    case 'cores-busy':
      return `more cores: jobs waited for a pool thread for ${amount(fact)}, but ${busy(fact.coresUsed, fact.cores)}; more threads would only share them`;
    case 'threads-waited-for-core':
      return `more cores, or less other work on them: jobs waited for a pool thread for ${amount(fact)}, but those that had one spent ${percent(fact.coreWaitShare)} % of their time on it waiting for a core; more threads would wait with them`;
  }
}

const amount = ({ share, meanMs }: Wait): string =>
  `${percent(share)} % of the time from submission to callback (mean ${formatMs(meanMs)})`;

const busy = (used: number, cores: number): string =>
  `${formatDecimal(used)} of ${formatCount(cores, 'core')} were busy`;

const lookups = (kinds: readonly string[]): string =>
  kinds.length === 0
    ? ''
    : `; only half of the pool serves lookups (${kinds.join(', ')}): caching them or keeping connections open helps too`;

const late = (wait: Wait, cpuShare: number | null): string =>
  `results waited for the event loop for ${amount(wait)}${cpuShare === null ? '' : `, which used ${percent(cpuShare)} % of a core`}`;

type NoteFact = Omit<TraceNote, 'text'>;

/** Notes with what they say; one of an id that is not known here says its id. */
export const traceNotes = (notes: readonly NoteFact[]): TraceNote[] =>
  notes.map((note) => {
    const text = NOTES[note.id]?.(note) ?? note.id;
    return { ...note, text: note.pid === undefined ? text : `process ${note.pid}: ${text}` };
  });

const counted = ({ count = 0 }: NoteFact, one: string, many: string): string =>
  `${count} ${count === 1 ? one : many}`;

const NOTES: Readonly<Record<string, (note: NoteFact) => string>> = {
  'trace.command-failed': ({ detail }) =>
    `the command ended with ${detail}; what was recorded until then counts`,
  'trace.killed': () => 'it was killed, or ended without notice; up to a second of its end is missing',
  'trace.unbalanced': (note) =>
    `${counted(note, 'event', 'events')} without a counterpart; the jobs are left out or inferred`,
  'trace.calls-lost': (note) =>
    `${counted(note, 'record', 'records')} of calls and their jobs came faster than they could be written, and are lost`,
  'trace.unfinished': (note) =>
    `${counted(note, 'job', 'jobs')} under way at the end of the recording, left out`,
  'trace.bound': (note) => `recording stopped after ${counted(note, 'event', 'events')} (--max-events)`,
  'trace.requests-bound': (note) =>
    `${counted(note, 'request', 'requests')} came after as many as are recorded, and are left out`,
  'trace.sampled': (note) =>
    `${counted(note, 'request was', 'requests were')} followed whole (--sample); jobs are those of the times in which they were`,
  'trace.inspector': ({ detail }) => `Node does not trace its pool here: ${detail}`,
  'trace.worker': ({ detail }) => `the recorder could not start: ${detail}`,
  'trace.other-tracing': () =>
    'not recorded: the process records trace events itself (--trace-event-categories)',
  'trace.unreadable': (note) =>
    `${counted(note, 'line of the file is', 'lines of the file are')} left out: not readable`,
  'trace.truncated': () => 'the last line of the file is cut off: there was more',
  'trace.inconsistent': (note) =>
    `${counted(note, 'job', 'jobs')} left out: times that contradict one another, or no process to belong to`,
  'trace.unordered': (note) =>
    `jobs of ${counted(note, 'process', 'processes')} were not in the order of submission`,
};
