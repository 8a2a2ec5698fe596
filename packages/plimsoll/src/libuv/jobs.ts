import { itemAt } from '../collections/item-at.js';
import { lowerBound } from '../collections/lower-bound.js';
import type { PoolEvent, PoolJob, Unplaced } from './job.js';
import { placeJobs } from './replay.js';

/**
 * From Node's trace events to the jobs of the pool. Pure.
 *
 * `node.threadpoolwork` gives a job's submission and completion on the event loop's thread (`b`, `e`, with an id) and its
 * run on a pool thread (`B`, `E`, with that thread's id and CPU clock, without an id). `fs` and `dns` give submission and
 * completion only: where and when such a job ran can be inferred, not known.
 */

/** Submission and return. */
type Pair = readonly [PoolEvent, PoolEvent];
const has = (event: PoolEvent, category: string): boolean =>
  event.cat === category || event.cat.split(',').includes(category);

/** What getaddrinfo(3) and getnameinfo(3) are called in node.dns.native; every other name there is c-ares, a socket. */
const LOOKUPS = new Set(['lookup', 'lookupService']);

/**
 * Every finished job, in the order of submission.
 *
 * @param events in the order of their time.
 * @param size threads of the pool, to infer when jobs of fs and dns ran.
 */
export const poolJobs = (events: readonly PoolEvent[], size: number): PoolJob[] =>
  placeJobs(finishedJobs(events), size);

/**
 * Every finished job, in the order of submission, with what events tell of it and no more.
 *
 * @param crossed whether a run must be left out: its beginning and its end may be of two jobs.
 */
export function finishedJobs(
  events: readonly PoolEvent[],
  crossed: (begin: number, end: number) => boolean = () => false,
): Unplaced[] {
  const work = workJobs(events, crossed);
  const others = asyncPairs(events, (event) => !has(event, 'node.threadpoolwork.async'))
    .map(outsideJob)
    .sort((a, b) => a.submitted - b.submitted);
  const reportedTwice = new Set(work.map((job) => outerCall(job, others)));
  return [...work, ...others.filter((job) => !reportedTwice.has(job))].sort(
    (a, b) => a.submitted - b.submitted,
  );
}

/** Between the two reports of one call nothing else of its thread is submitted; of other threads little. */
const MOST_BETWEEN = 200;

/**
 * Node 26 reports one call twice: as fs `read`, and within it as the job `fs.readfile`.
 *
 * @param others in the order of submission.
 */
function outerCall(inner: Unplaced, others: readonly Unplaced[]): Unplaced | undefined {
  if (!inner.name.startsWith('fs.')) return undefined;
  const last = lowerBound(others, ({ submitted }) => submitted <= inner.submitted) - 1;
  for (let index = last; index >= 0 && index > last - MOST_BETWEEN; index--) {
    const outer = others[index] as Unplaced;
    if (outer.kind === 'fs' && outer.loop === inner.loop && outer.returned >= inner.returned) return outer;
  }
  return undefined;
}

/** Begin and end of everything with an id, in the order of ends; ids are pointers and are used again. */
function asyncPairs(events: readonly PoolEvent[], wanted: (event: PoolEvent) => boolean): Pair[] {
  /** By category, then by id. Entries stay when they are done: a large Map from which others come and go is slow. */
  const open = new Map<string, Map<string | undefined, PoolEvent | null>>();
  const pairs: Pair[] = [];
  for (const event of events) {
    if ((event.ph !== 'b' && event.ph !== 'e') || !wanted(event)) continue;
    const ofCategory = open.get(event.cat) ?? new Map<string | undefined, PoolEvent | null>();
    open.set(event.cat, ofCategory);
    if (event.ph === 'b') {
      ofCategory.set(event.id, event);
      continue;
    }
    const begin = ofCategory.get(event.id);
    if (begin == null) continue;
    pairs.push([begin, event]);
    ofCategory.set(event.id, null);
  }
  return pairs;
}

const outsideJob = ([begin, end]: Pair): Unplaced => ({
  name: begin.name,
  kind: !has(begin, 'node.dns.native') ? 'fs' : LOOKUPS.has(begin.name) ? 'dns' : 'kernel',
  submitted: begin.ts,
  started: null,
  ended: null,
  tid: null,
  cpu: null,
  returned: end.ts,
  loop: begin.tid,
  inferred: false,
});

interface Run {
  readonly name: string;
  readonly tid: number;
  readonly begin: PoolEvent;
  readonly end: PoolEvent;
}

/** What ran on pool threads, in the order of ends. */
function runs(events: readonly PoolEvent[], crossed: (begin: number, end: number) => boolean): Run[] {
  const running = new Map<number, PoolEvent>();
  const ended: Run[] = [];
  for (const event of events) {
    if (!has(event, 'node.threadpoolwork.sync')) continue;
    const begin = running.get(event.tid);
    if (event.ph === 'B') running.set(event.tid, event);
    else if (event.ph === 'E' && begin !== undefined) {
      running.delete(event.tid);
      if (begin.name === event.name && !crossed(begin.ts, event.ts))
        ended.push({ name: begin.name, tid: event.tid, begin, end: event });
    }
  }
  return ended;
}

/** Threads that are preempted change places with few others; further on nothing can be meant. */
const MOST_CANDIDATES = 200;

/**
 * Runs carry no id. The loop takes results in the order in which the jobs ended, so a run belongs to the first return
 * after its end that has no run yet and was submitted before its start. That may be far away: a loop that was blocked
 * takes thousands of results at one time.
 *
 * A thread may be preempted between its event and the queue, so that two runs seem to have changed places; then the later
 * one finds nothing free, and earlier ones move on until everybody has a job that fits (augmenting paths). Cancelled jobs
 * (negative result) never ran. A job whose run is missing, because events were lost, has no start and no end.
 */
function workJobs(
  events: readonly PoolEvent[],
  crossed: (begin: number, end: number) => boolean,
): Unplaced[] {
  const pairs = asyncPairs(events, (event) => has(event, 'node.threadpoolwork.async')).filter(
    ([, end]) => (end.args.result ?? 0) >= 0,
  );
  const holders = new Map<Pair, Run>();
  const free = new FreeIndices(pairs.length);
  const move = (run: Run, from: number, tried: Set<Pair>): boolean => {
    const to = Math.min(pairs.length, from + MOST_CANDIDATES);
    const held: Pair[] = [];
    for (let index = from; index < to; index++) {
      const pair = pairs[index] as Pair;
      if (!fits(run, pair) || tried.has(pair)) continue;
      if (!holders.has(pair)) return take(run, index);
      held.push(pair);
    }
    for (const pair of held) {
      tried.add(pair);
      if (!move(holders.get(pair) as Run, from, tried)) continue;
      holders.set(pair, run);
      return true;
    }
    return false;
  };
  const take = (run: Run, index: number): true => {
    holders.set(pairs[index] as Pair, run);
    free.take(index);
    return true;
  };
  let first = 0;
  for (const run of runs(events, crossed)) {
    while (first < pairs.length && itemAt(pairs, first)[1].ts < run.end.ts) first++;
    let index = free.from(first);
    for (let tried = 0; index < pairs.length && tried < MOST_CANDIDATES; tried++) {
      if (fits(run, pairs[index] as Pair)) break;
      index = free.from(index + 1);
    }
    if (index < pairs.length && fits(run, pairs[index] as Pair)) take(run, index);
    // A run that ended earlier may have to move to a return before this one.
    else move(run, Math.max(0, first - MOST_CANDIDATES / 2), new Set());
  }
  return pairs.map((pair) => workJob(pair, holders.get(pair)));
}

/** Which of 0 … length - 1 are free: the next free one in nearly constant time. */
class FreeIndices {
  readonly #next: Uint32Array;

  constructor(length: number) {
    this.#next = Uint32Array.from({ length: length + 1 }, (_, index) => index);
  }

  /** The first free index at or after `index`; the length when there is none. */
  from(index: number): number {
    let free = Math.min(index, this.#next.length - 1);
    while (this.#next[free] !== free) {
      const next = itemAt(this.#next, free);
      // Halve the path, so that later searches are shorter.
      this.#next[free] = itemAt(this.#next, next);
      free = itemAt(this.#next, free);
    }
    return free;
  }

  take(index: number): void {
    this.#next[index] = index + 1;
  }
}

const fits = (run: Run, [begin, end]: Pair): boolean =>
  begin.name === run.name && begin.ts <= run.begin.ts && run.end.ts <= end.ts;

const workJob = ([begin, end]: Pair, run: Run | undefined): Unplaced => ({
  name: begin.name,
  kind: 'work',
  submitted: begin.ts,
  started: run?.begin.ts ?? null,
  ended: run?.end.ts ?? null,
  returned: end.ts,
  loop: begin.tid,
  tid: run?.tid ?? null,
  cpu: run?.begin.tts === undefined || run.end.tts === undefined ? null : run.end.tts - run.begin.tts,
  inferred: false,
});
