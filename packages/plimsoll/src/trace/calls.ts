import type { JobCall, Unplaced } from '../libuv/job.js';
import record from './child/calls/record.cjs';
import type { ProcessLog } from './process-log.js';

const { FIELDS, RECORD, KIND, KINDS, CAUSE, CAUSES } = record;

/** What hooks told of one thread; times are microseconds of process.hrtime. */
export interface ThreadCalls {
  readonly thread: number;
  /** In the order of submission; the last may still be under way. */
  readonly jobs: readonly CalledJob[];
  readonly operations: ReadonlyMap<number, CalledOperation>;
  /** Records for which there was no room. */
  readonly lost: number;
}

export interface CalledJob extends JobCall {
  readonly kind: number;
  readonly submitted: number;
  /** `null` when its result was not taken while it was recorded. */
  returned: number | null;
}

export interface CalledOperation {
  readonly number: number;
  readonly name: string;
  readonly request: number;
  readonly begun: number;
  /** When its callback was called or its promise settled; `null` when that is not told. */
  ended: number | null;
}

const CAUSE_NAMES = Object.fromEntries(Object.entries(CAUSE).map(([name, code]) => [code, name])) as Record<
  number,
  JobCall['cause']
>;

/** Names that could not be kept apart any more. */
const OTHER = 'other';

/** The calls of every thread of a process. */
export function threadCalls({ calls, names }: Pick<ProcessLog, 'calls' | 'names'>): ThreadCalls[] {
  const threads = new Map<number, Reading>();
  for (const { thread, records, lost } of calls) {
    let own = threads.get(thread);
    if (own === undefined) {
      own = new Reading(
        new Map(names.flatMap((line) => (line.thread === thread ? [[line.code, line.name]] : []))),
      );
      threads.set(thread, own);
    }
    own.read(records);
    own.lost = Math.max(own.lost, lost);
  }
  return [...threads].map(([thread, { jobs, operations, lost }]) => ({
    thread,
    jobs: [...jobs.values()],
    operations,
    lost,
  }));
}

class Reading {
  readonly jobs = new Map<number, CalledJob>();
  readonly operations = new Map<number, CalledOperation>();
  lost = 0;
  readonly #names: ReadonlyMap<number, string>;

  constructor(names: ReadonlyMap<number, string>) {
    this.#names = names;
  }

  read(text: string): void {
    const bytes = Buffer.from(text, 'base64');
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const size = FIELDS * 8;
    for (let at = 0; at + size <= bytes.byteLength; at += size) {
      const field = (index: number): number => view.getFloat64(at + 8 * index, true);
      this.#take(field(0), Math.floor(field(1)), field(2), field(3), field(4), field(5));
    }
  }

  #take(type: number, at: number, number: number, b: number, c: number, d: number): void {
    if (type === RECORD.job) this.jobs.set(number, this.#job(at, number, b, c, d));
    else if (type === RECORD.begin) {
      const name = this.#names.get(b) ?? OTHER;
      this.operations.set(number, { number, name, request: c, begun: at, ended: null });
    } else if (type === RECORD.return) {
      const job = this.jobs.get(number);
      if (job !== undefined) job.returned = at;
    } else if (type === RECORD.end) {
      const operation = this.operations.get(number);
      if (operation !== undefined) operation.ended ??= at;
    }
  }

  #job(at: number, number: number, kind: number, target: number, after: number): CalledJob {
    const isInside = target >= CAUSES;
    const size = Math.abs(target);
    const operation = isInside ? Math.floor(size / CAUSES) : 0;
    const request = isInside ? (this.operations.get(operation)?.request ?? 0) : Math.floor(size / CAUSES);
    return {
      ...{ number, submitted: at, returned: null, after, operation, request },
      kind: kind % KINDS,
      type: this.#names.get(Math.floor(kind / KINDS)) ?? '',
      cause: CAUSE_NAMES[size % CAUSES] ?? 'other',
    };
  }
}

const told = ({ number, cause, after, operation, request, type }: CalledJob): JobCall => ({
  ...{ number, cause, after, operation, request, type },
});

/**
 * Jobs of fs and lookups, which hooks tell by themselves; a call of fs without a name is told by an event, too.
 *
 * @returns those that have returned, and how many have not.
 */
export function jobsOfCalls(calls: readonly ThreadCalls[]): { jobs: Unplaced[]; unfinished: number } {
  const jobs: Unplaced[] = [];
  let unfinished = 0;
  for (const { thread, jobs: own } of calls)
    for (const job of own) {
      const isDns = job.kind === KIND.dns;
      if (!isDns && !(job.kind === KIND.fs && job.type !== '')) continue;
      if (job.returned === null) unfinished++;
      else
        jobs.push({
          name: job.type,
          kind: isDns ? 'dns' : 'fs',
          submitted: job.submitted,
          returned: Math.max(job.submitted, job.returned),
          ...{ started: null, ended: null, tid: null, cpu: null, inferred: false },
          loop: thread,
          call: told(job),
        });
    }
  return { jobs, unfinished };
}

/** Clocks of hooks and events are the same, but are read with this difference at most, in microseconds. */
const CLOCKS_US = 2;

/**
 * Tell jobs that events told which calls they are.
 *
 * A thread takes results one after another, and at each Node writes the event and then calls the hook, with nothing in between.
 * So among the resources of a kind the one of a job is the next that was called after its event. A resource that never
 * returned is of no job, such as that of a synchronous call.
 */
export function matchCalls(jobs: readonly Unplaced[], calls: readonly ThreadCalls[]): Unplaced[] {
  const byThread = new Map(calls.map(({ thread, jobs: own }) => [thread, groups(own)]));
  const found = new Map<Unplaced, CalledJob>();
  const inOrder = jobs.toSorted((a, b) => a.returned - b.returned);
  for (const job of inOrder) {
    const own = byThread.get(job.loop)?.get(groupOfJob(job));
    const call = own === undefined ? undefined : nextAfter(own, job);
    if (call !== undefined) found.set(job, call);
  }
  shareTrees(jobs, found);
  return jobs.map((job) => {
    const call = found.get(job);
    return call === undefined ? job : { ...job, call: told(call) };
  });
}

/**
 * Work that walks a tree gives the pool more jobs by itself, one for each directory: they are parts of the call that lasts from
 * before them until after them. Since Node 26.10 several of them start together, and any may be the last.
 */
function shareTrees(jobs: readonly Unplaced[], found: Map<Unplaced, CalledJob>): void {
  const walks = new Map<string, CalledJob[]>();
  const keyOf = ({ loop, name }: Unplaced): string => `${loop} ${name}`;
  const parts = jobs.filter(({ kind, name }) => kind === 'work' && FS_WORK.test(name));
  for (const job of parts) {
    const own = found.get(job);
    if (own === undefined) continue;
    const same = walks.get(keyOf(job));
    if (same === undefined) walks.set(keyOf(job), [own]);
    else same.push(own);
  }
  for (const job of parts) {
    if (found.has(job)) continue;
    const walk = walks
      .get(keyOf(job))
      ?.findLast(
        ({ submitted, returned }) =>
          submitted <= job.submitted + CLOCKS_US && (returned ?? 0) >= job.returned - CLOCKS_US,
      );
    if (walk !== undefined) found.set(job, walk);
  }
}

interface Returned extends CalledJob {
  readonly returned: number;
}

/** Resources of a kind in the order of their returns, and how many have been passed. */
interface Group {
  readonly all: readonly Returned[];
  next: number;
}

function groups(jobs: readonly CalledJob[]): Map<number, Group> {
  const found = new Map<number, Returned[]>();
  for (const job of jobs) {
    if (job.returned === null) continue;
    const own = found.get(groupOf(job));
    if (own === undefined) found.set(groupOf(job), [job as Returned]);
    else own.push(job as Returned);
  }
  return new Map(
    [...found].map(([kind, all]) => [kind, { all: all.sort((a, b) => a.returned - b.returned), next: 0 }]),
  );
}

function nextAfter(own: Group, job: Unplaced): Returned | undefined {
  while ((own.all[own.next]?.returned ?? Number.POSITIVE_INFINITY) < job.returned - CLOCKS_US) own.next++;
  const call = own.all[own.next];
  if (call === undefined || call.submitted > job.submitted + CLOCKS_US) return undefined;
  own.next++;
  return call;
}

/** Calls of fs with a name, which need no event unless they are told by events after all, are no candidates of others. */
const NAMED_FS = -1;
const groupOf = ({ kind, type }: CalledJob): number => (kind === KIND.fs && type !== '' ? NAMED_FS : kind);

/** Work that Node itself tells by the name of a function of fs. */
const FS_WORK = /^(fs\.|readdir_recursive$|glob$)/;

function groupOfJob({ kind, name }: Unplaced): number {
  if (kind === 'dns') return KIND.dns;
  if (kind === 'fs' || FS_WORK.test(name)) return KIND.fs;
  if (name === 'crypto') return KIND.crypto;
  return name === 'zlib' ? KIND.zlib : KIND.other;
}
