import { itemAt } from '../collections/item-at.js';
import { lowerBound } from '../collections/lower-bound.js';
import type { PoolEvent, PoolJob, Unplaced } from './job.js';
import { placeJobs } from './replay.js';

/**
 * From Node's trace events to pool jobs. `node.threadpoolwork` reports submission and completion on the event-loop thread (`b`,
 * `e`, with an id), and the run on a pool thread (`B`, `E`, with the thread's id and CPU clock, without a job id). `fs` and `dns`
 * report submission and completion only, so where and when such a job ran can only be inferred.
 */

/** Submission and return. */
type Pair = readonly [PoolEvent, PoolEvent];
const has = (event: PoolEvent, category: string): boolean =>
  event.cat === category || event.cat.split(',').includes(category);

/** getaddrinfo(3) and getnameinfo(3) in node.dns.native; every further name there is c-ares, a socket. */
const LOOKUPS = new Set(['lookup', 'lookupService']);

/** Every finished job in order of submission, from events in order of time. `size` is needed to infer when fs and dns jobs ran. */
export const poolJobs = (events: readonly PoolEvent[], size: number): PoolJob[] =>
  placeJobs(finishedJobs(events), size);

/** Whether to leave a run out, because its begin and its end may belong to two jobs. */
type Crossed = (begin: number, end: number) => boolean;

/** Every finished job in order of submission, with what its events say. */
export function finishedJobs(events: readonly PoolEvent[], crossed: Crossed = () => false): Unplaced[] {
  const work = workJobs(events, crossed);
  const bySubmission = (a: Unplaced, b: Unplaced): number => a.submitted - b.submitted;
  const calls = asyncPairs(events, (event) => !has(event, 'node.threadpoolwork.async'))
    .map(outsideJob)
    .sort(bySubmission);
  const reportedTwice = new Set(work.map((job) => outerCall(job, calls)));
  return [...work, ...calls.filter((job) => !reportedTwice.has(job))].sort(bySubmission);
}

/** Between the two reports of one call its thread submits nothing else, and further threads little. */
const MOST_BETWEEN = 200;

/** Node 26 reports one call twice: as fs `read`, and within it as the job `fs.readfile`. `calls` are in order of submission. */
function outerCall(inner: Unplaced, calls: readonly Unplaced[]): Unplaced | undefined {
  if (!inner.name.startsWith('fs.')) return undefined;
  const last = lowerBound(calls, ({ submitted }) => submitted <= inner.submitted) - 1;
  for (let index = last; index >= 0 && index > last - MOST_BETWEEN; index--) {
    const outer = calls[index] as Unplaced;
    if (outer.kind === 'fs' && outer.loop === inner.loop && outer.returned >= inner.returned) return outer;
  }
  return undefined;
}

/** Begin and end of everything with an id, in order of ends; ids are pointers, which are reused. */
function asyncPairs(events: readonly PoolEvent[], wanted: (event: PoolEvent) => boolean): Pair[] {
  /** By category, then by id. Ended entries stay: a large Map whose entries come and go is slow. */
  const open = new Map<string, Map<string | undefined, PoolEvent | null>>();
  const pairs: Pair[] = [];
  for (const event of events) {
    if ((event.ph !== 'b' && event.ph !== 'e') || !wanted(event)) continue;
    const ofCategory = open.get(event.cat) ?? new Map<string | undefined, PoolEvent | null>();
    open.set(event.cat, ofCategory);
    const begin = ofCategory.get(event.id);
    if (event.ph === 'e' && begin != null) pairs.push([begin, event]);
    ofCategory.set(event.id, event.ph === 'b' ? event : null);
  }
  return pairs;
}

const outsideJob = ([begin, end]: Pair): Unplaced => ({
  ...{ name: begin.name, submitted: begin.ts, returned: end.ts, loop: begin.tid, inferred: false },
  ...{ started: null, ended: null, tid: null, cpu: null },
  kind: !has(begin, 'node.dns.native') ? 'fs' : LOOKUPS.has(begin.name) ? 'dns' : 'kernel',
});

/** On a pool thread. */
type Run = Readonly<{ begin: PoolEvent; end: PoolEvent }>;

/** In order of ends. */
function runs(events: readonly PoolEvent[], crossed: Crossed): Run[] {
  const running = new Map<number, PoolEvent>();
  const ended: Run[] = [];
  for (const event of events) {
    if (!has(event, 'node.threadpoolwork.sync')) continue;
    const begin = running.get(event.tid);
    if (event.ph === 'B') running.set(event.tid, event);
    else if (event.ph === 'E' && begin !== undefined) {
      running.delete(event.tid);
      if (begin.name === event.name && !crossed(begin.ts, event.ts)) ended.push({ begin, end: event });
    }
  }
  return ended;
}

/** A preempted thread changes places with few threads, so no run belongs to a later return. */
const MOST_CANDIDATES = 200;

/**
 * Runs have no id. The loop takes results in the order in which jobs ended, so a run belongs to the first return after its end
 * that has no run yet and was submitted before its start; it may be far away, since a blocked loop takes thousands of results at
 * a time. A thread may be preempted between its event and the queue, so that two runs seem to have changed places: then the later
 * run finds no free job, and earlier runs move on until each has a job that fits (augmenting paths). Cancelled jobs (negative
 * result) never ran. When events were lost, a job without a run has no start and no end.
 */
function workJobs(events: readonly PoolEvent[], crossed: Crossed): Unplaced[] {
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
    const isFit = (index: number): boolean => index < pairs.length && fits(run, pairs[index] as Pair);
    let index = free.from(first);
    for (let tried = 0; tried < MOST_CANDIDATES && !isFit(index); tried++) index = free.from(index + 1);
    if (isFit(index)) take(run, index);
    // An earlier run may have to move to a return before this one.
    else move(run, Math.max(0, first - MOST_CANDIDATES / 2), new Set());
  }
  return pairs.map((pair) => workJob(pair, holders.get(pair)));
}

/** The free ones among 0 … length - 1: finds the next one in nearly constant time. */
class FreeIndices {
  readonly #next: Uint32Array;

  constructor(length: number) {
    this.#next = Uint32Array.from({ length: length + 1 }, (_, index) => index);
  }

  /** @returns the length when no index at or after `index` is free. */
  from(index: number): number {
    let free = Math.min(index, this.#next.length - 1);
    while (this.#next[free] !== free) {
      const next = itemAt(this.#next, free);
      // Halve the path for later searches.
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
  begin.name === run.begin.name && begin.ts <= run.begin.ts && run.end.ts <= end.ts;

const workJob = (pair: Pair, { begin, end }: Partial<Run> = {}): Unplaced => ({
  ...{ ...outsideJob(pair), kind: 'work' },
  ...{ started: begin?.ts ?? null, ended: end?.ts ?? null, tid: end?.tid ?? null },
  cpu: begin?.tts === undefined || end?.tts === undefined ? null : end.tts - begin.tts,
});
