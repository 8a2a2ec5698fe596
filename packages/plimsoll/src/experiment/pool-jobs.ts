/**
 * From Node's trace events to the jobs of the pool. Pure.
 *
 * `node.threadpoolwork` gives a job's submission and completion on the event loop's thread (`b`, `e`, with an id) and its
 * run on a pool thread (`B`, `E`, with that thread's id and CPU clock, without an id). `fs` and `dns` give submission and
 * completion only: where and when such a job ran can be inferred, not known.
 */

/** A trace event as the inspector delivers it. `ts` and `tts` are microseconds: of `process.hrtime`, of the thread's CPU. */
export interface PoolEvent {
  readonly ph: string;
  readonly name: string;
  readonly cat: string;
  readonly tid: number;
  readonly ts: number;
  readonly tts?: number;
  readonly id?: string;
  readonly args: { readonly result?: number };
}

/** One trip to the pool, or to where libuv does not need it (`kernel`). Times in microseconds of `process.hrtime`. */
export interface PoolJob {
  /** `crypto`, `zlib`, the name of an N-API work, or the call of fs and dns: `open`, `read`, `lookup` … */
  readonly name: string;
  readonly kind: 'work' | 'fs' | 'dns' | 'kernel';
  readonly submitted: number;
  /** `null` when not known: see `inferred`. */
  readonly started: number | null;
  readonly ended: number | null;
  /** When the event loop took the result. */
  readonly returned: number;
  readonly tid: number | null;
  readonly cpu: number | null;
  /** When it was submitted, every pool thread that it could have had was taken. */
  readonly waited: boolean;
  /** `started` and `ended` follow from the order of the queue, not from an event. */
  readonly inferred: boolean;
}

/** Submission and return. */
type Pair = readonly [PoolEvent, PoolEvent];
type Unplaced = Omit<PoolJob, 'waited'>;

const has = (event: PoolEvent, category: string): boolean => event.cat.split(',').includes(category);

/** What getaddrinfo(3) and getnameinfo(3) are called in node.dns.native; every other name there is c-ares, a socket. */
const LOOKUPS = new Set(['lookup', 'lookupService']);

/**
 * Every finished job, in the order of submission.
 *
 * @param size threads of the pool, to infer when jobs of fs and dns ran.
 */
export function poolJobs(events: readonly PoolEvent[], size: number): PoolJob[] {
  const work = workJobs(events);
  const others = asyncPairs(events, (event) => !has(event, 'node.threadpoolwork.async')).map(outsideJob);
  const reportedTwice = new Set(work.map((job) => outerCall(job, others)));
  return place(
    [...work, ...others.filter((job) => !reportedTwice.has(job))].sort((a, b) => a.submitted - b.submitted),
    size,
  );
}

/** Node 26 reports one call twice: as fs `read`, and within it as the job `fs.readfile`. */
const outerCall = (inner: Unplaced, others: readonly Unplaced[]): Unplaced | undefined =>
  inner.name.startsWith('fs.')
    ? others.findLast(
        (outer) =>
          outer.kind === 'fs' && outer.submitted <= inner.submitted && outer.returned >= inner.returned,
      )
    : undefined;

/** Begin and end of everything with an id, in the order of ends; ids are pointers and are used again. */
function asyncPairs(events: readonly PoolEvent[], wanted: (event: PoolEvent) => boolean): Pair[] {
  const open = new Map<string, PoolEvent>();
  const pairs: Pair[] = [];
  for (const event of events) {
    if ((event.ph !== 'b' && event.ph !== 'e') || !wanted(event)) continue;
    const key = `${event.cat} ${event.id}`;
    const begin = open.get(key);
    if (event.ph === 'b') open.set(key, event);
    else if (begin !== undefined) {
      pairs.push([begin, event]);
      open.delete(key);
    }
  }
  return pairs;
}

const outsideJob = ([begin, end]: Pair): Unplaced => ({
  name: begin.name,
  kind: !has(begin, 'node.dns.native') ? 'fs' : LOOKUPS.has(begin.name) ? 'dns' : 'kernel',
  submitted: begin.ts,
  ...{ started: null, ended: null, tid: null, cpu: null },
  returned: end.ts,
  inferred: false,
});

interface Run {
  readonly name: string;
  readonly tid: number;
  readonly begin: PoolEvent;
  readonly end: PoolEvent;
}

/** What ran on pool threads, in the order of ends. */
function runs(events: readonly PoolEvent[]): Run[] {
  const running = new Map<number, PoolEvent>();
  const found: Run[] = [];
  for (const event of events) {
    if (!has(event, 'node.threadpoolwork.sync')) continue;
    const begin = running.get(event.tid);
    if (event.ph === 'B') running.set(event.tid, event);
    else if (event.ph === 'E' && begin !== undefined) {
      found.push({ name: begin.name, tid: event.tid, begin, end: event });
      running.delete(event.tid);
    }
  }
  return found;
}

/** Jobs that the loop takes at one time are few; further on nothing can be meant. */
const MOST_CANDIDATES = 200;

/**
 * Runs carry no id. The loop takes results in the order in which the jobs ended, so a run belongs to the first return
 * after its end that has no run yet and was submitted before its start.
 *
 * A thread may be preempted between its event and the queue, so that two runs seem to have changed places; then the later
 * one finds nothing free, and earlier ones move on until everybody has a job that fits (augmenting paths). Cancelled jobs
 * (negative result) never ran.
 */
function workJobs(events: readonly PoolEvent[]): Unplaced[] {
  const pairs = asyncPairs(events, (event) => has(event, 'node.threadpoolwork.async')).filter(
    ([, end]) => (end.args.result ?? 0) >= 0,
  );
  const holders = new Map<Pair, Run>();
  const move = (run: Run, from: number, tried: Set<Pair>): boolean => {
    const fitting = pairs
      .slice(from, from + MOST_CANDIDATES)
      .filter((pair) => fits(run, pair) && !tried.has(pair));
    const free = fitting.find((pair) => !holders.has(pair));
    if (free !== undefined) {
      holders.set(free, run);
      return true;
    }
    for (const pair of fitting) {
      tried.add(pair);
      if (!move(holders.get(pair) as Run, from, tried)) continue;
      holders.set(pair, run);
      return true;
    }
    return false;
  };
  let first = 0;
  for (const run of runs(events)) {
    while (first < pairs.length && (pairs[first] as Pair)[1].ts < run.end.ts) first++;
    // Somebody who ended earlier may have to move to a return before this one.
    move(run, Math.max(0, first - MOST_CANDIDATES / 2), new Set());
  }
  return [...holders].map(([[begin, end], run]) => workJob(begin, end, run));
}

const fits = (run: Run, [begin, end]: Pair): boolean =>
  begin.name === run.name && begin.ts <= run.begin.ts && run.end.ts <= end.ts;

const workJob = (begin: PoolEvent, end: PoolEvent, run: Run): Unplaced => ({
  name: begin.name,
  kind: 'work',
  submitted: begin.ts,
  started: run.begin.ts,
  ended: run.end.ts,
  returned: end.ts,
  tid: run.tid,
  cpu: run.begin.tts === undefined || run.end.tts === undefined ? null : run.end.tts - run.begin.tts,
  inferred: false,
});

/**
 * Say which jobs had to wait for a thread, and when those of fs and dns must have run: each as soon as, by the queue's
 * rules, a thread was free for it (for lookups one of the (size + 1) / 2 that slow I/O may use), until its result was taken.
 */
function place(jobs: readonly Unplaced[], size: number): PoolJob[] {
  const placed: PoolJob[] = [];
  for (const job of jobs) {
    if (job.kind === 'kernel') {
      placed.push({ ...job, waited: false });
      continue;
    }
    const any = freeFrom(placed, job.submitted, size, (other) => other.kind !== 'kernel');
    const slow =
      job.kind === 'dns'
        ? freeFrom(placed, job.submitted, Math.floor((size + 1) / 2), (other) => other.kind === 'dns')
        : job.submitted;
    const free = Math.max(any, slow);
    const waited = free > job.submitted;
    if (job.kind === 'work') placed.push({ ...job, waited });
    else {
      // Whatever the rule says, it had ended when its result was taken.
      const started = Math.min(free, job.returned);
      placed.push({ ...job, started, ended: job.returned, inferred: true, waited });
    }
  }
  return placed;
}

/** The first moment from `time` on at which fewer than `limit` of the jobs submitted earlier are unfinished. */
function freeFrom(
  jobs: readonly PoolJob[],
  time: number,
  limit: number,
  counts: (job: PoolJob) => boolean,
): number {
  const ends = jobs
    .filter((job) => counts(job) && (job.ended ?? job.returned) > time)
    .map((job) => job.ended ?? job.returned)
    .sort((a, b) => a - b);
  return ends.length < limit ? time : (ends[ends.length - limit] as number);
}
