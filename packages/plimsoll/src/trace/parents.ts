import { itemAt } from '../collections/item-at.js';
import type { TracedJob } from '../results/trace.js';

/** Whatever comes later than this after a completion is not taken to follow from it. */
const LONGEST_MS = 10;
/** Gaps are put into classes: up to 4 µs, and then by half powers of two. Their upper ends. */
const CLASSES = Array.from({ length: 24 }, (_, index) => 0.004 * 2 ** (index / 2)).filter(
  (ms) => ms <= LONGEST_MS,
);
/**
 * Moved by these times, submissions keep their rate but lose what they follow from. Timers fire on a grid of whole
 * milliseconds, and so does what they lead to: moved by whole ones, submissions keep their place on it.
 */
const SHIFTS = [
  [-29.3, -11.1, -3.7, 3.7, 11.1, 29.3],
  [-29, -13, -7, 7, 13, 29],
];
/** Of a kind's jobs so many more than by chance must follow a completion at some distance, */
const LEAST_EXCESS = 0.2;
/** and with few of them more: chance alone gives up to about this, divided by the root of their number. */
const CHANCE = 2;
/** What a callback usually takes at most until it submits the next job. */
const SHORT_MS = 1;
/** Of a kind's jobs so many within a window need no other proof that they are a chain than that this is not by chance. */
const NEARLY_ALL = 0.9;

type Job = Omit<TracedJob, 'parent' | 'cause' | 'operation'>;

/**
 * Which job each was submitted after, because of it: in its callback, or later in the same turn of the event loop.
 *
 * Node does not tell. Known are the order of submissions and completions on a loop's thread, and their times. The parent
 * can only be the last completion on that loop before the submission. Whether it is the parent depends on how closely the
 * one follows the other: a chain submits its next job within its callback, a request from outside comes whenever it comes.
 * So for each kind the gaps are held against those of the same submissions moved by some milliseconds, which shows how
 * many follow a completion at that distance by chance alone; and, unless nearly all of them are alike, against how closely
 * completions follow submissions: a loop that was kept from its core does all that is due at one time, in either order. With less than a fifth in excess in every window of gaps there
 * is no chain, and every job is a root. Else the window with the most is the kind's, and so are others of which chance
 * explains less than half: a callback whose thread lost its core submits late.
 *
 * A window of short gaps need not begin at nothing: on a loop that is never idle every gap is short, but only those of a
 * chain are alike. One of longer gaps must, or jobs that a timer starts at equal distances would be chains.
 *
 * Limits: in the window of a kind with chains, what came from outside right after somebody else's completion counts as its
 * child; a callback that computes for more than 10 ms before it submits loses its child; a client that sends its next
 * request within milliseconds of an answer looks like a chain, which it is.
 *
 * @param jobs in the order of submission.
 * @returns for each job the index of its parent, or `null`.
 */
export function parents(jobs: readonly Job[]): (number | null)[] {
  const completions = completionsOf(jobs);
  const chains = new Map([...groups(jobs)].map(([kind, own]) => [kind, chainClasses(own, completions)]));
  return jobs.map(({ kind, loopThread, submitMs }) => {
    const isChain = chains.get(kind) ?? null;
    const found = isChain === null ? undefined : completions(loopThread, submitMs).last;
    if (isChain === null || found === undefined) return null;
    return isChain[CLASSES.findIndex((upTo) => submitMs - found.atMs <= upTo)] === true ? found.index : null;
  });
}

interface Completion {
  readonly index: number;
  readonly atMs: number;
}

/** On a loop, the last completion at a time or before it, and the first one after it. */
type Completions = (
  loop: number,
  timeMs: number,
) => { readonly last: Completion | undefined; readonly next: Completion | undefined };

function completionsOf(jobs: readonly Job[]): Completions {
  const loops = new Map<number, Completion[]>();
  for (const [index, { loopThread, callbackMs }] of jobs.entries()) {
    const completions = loops.get(loopThread) ?? [];
    completions.push({ index, atMs: callbackMs });
    loops.set(loopThread, completions);
  }
  for (const completions of loops.values()) completions.sort((a, b) => a.atMs - b.atMs);
  return (loop, timeMs) => {
    const completions = loops.get(loop) ?? [];
    let from = 0;
    for (let to = completions.length; from < to; ) {
      const middle = (from + to) >> 1;
      if (itemAt(completions, middle).atMs <= timeMs) from = middle + 1;
      else to = middle;
    }
    return { last: completions[from - 1], next: completions[from] };
  };
}

function groups(jobs: readonly Job[]): Map<string, Job[]> {
  const found = new Map<string, Job[]>();
  for (const job of jobs) {
    const own = found.get(job.kind);
    if (own === undefined) found.set(job.kind, [job]);
    else own.push(job);
  }
  return found;
}

/** More submissions of a kind make the window no better. */
const MOST_SAMPLES = 2000;

/** Of each class of gaps, whether a job that came so long after a completion follows from it; `null` for no chains. */
function chainClasses(jobs: readonly Job[], completions: Completions): boolean[] | null {
  const step = Math.max(1, Math.floor(jobs.length / MOST_SAMPLES));
  const sample = jobs.filter((_, index) => index % step === 0);
  const afterLast = (shifts: readonly number[]): number[] =>
    sharesUpTo(
      shifts.flatMap((shift) =>
        sample.map(({ loopThread, submitMs }) => {
          const found = completions(loopThread, submitMs + shift).last;
          return found === undefined ? Number.POSITIVE_INFINITY : submitMs + shift - found.atMs;
        }),
      ),
    );
  const beforeNext = sharesUpTo(
    sample.map(({ loopThread, submitMs }) => {
      const found = completions(loopThread, submitMs).next;
      return found === undefined ? Number.POSITIVE_INFINITY : found.atMs - submitMs;
    }),
  );
  const real = afterLast([0]);
  const window = bestWindow(real, SHIFTS.map(afterLast), beforeNext, sample.length);
  if (window === null) return null;
  const { from, to, chance } = window;
  const outside = mostFromOutside(real, chance, sample.length);
  return CLASSES.map((_, at) => {
    if (at >= from && at < to) return true;
    const inClass: Range = [at, at + 1];
    return outside * within(chance, inClass) < within(real, inClass) / 2;
  });
}

/** Classes of gaps from one to before another. */
type Range = readonly [from: number, to: number];

const within = (shares: readonly number[], [from, to]: Range): number =>
  itemAt(shares, to) - itemAt(shares, from);

function* ranges(last: number): Generator<Range> {
  for (let from = 0; from < last; from++) for (let to = from + 1; to <= last; to++) yield [from, to];
}

interface Window {
  readonly from: number;
  readonly to: number;
  /** Of the kinds of chance the one that explains most of it. */
  readonly chance: readonly number[];
}

/** Where the real gaps exceed those of chance most; `null` where they hardly do. */
function bestWindow(
  real: readonly number[],
  shifted: readonly (readonly number[])[],
  reversed: readonly number[],
  count: number,
): Window | null {
  let best: Window | null = null;
  let most = LEAST_EXCESS + CHANCE / Math.sqrt(count);
  for (const range of ranges(CLASSES.length)) {
    const [from, to] = range;
    if (from > 0 && itemAt(CLASSES, to - 1) > SHORT_MS) continue;
    const chances = within(real, range) >= NEARLY_ALL ? shifted : [...shifted, reversed];
    const chance = chances.reduce((more, other) =>
      within(other, range) > within(more, range) ? other : more,
    );
    const excess = within(real, range) - within(chance, range);
    if (excess <= most) continue;
    most = excess;
    best = { from, to, chance };
  }
  return best;
}

/**
 * Which share of the jobs can have come from outside: these keep to chance, so there are nowhere fewer jobs than of them.
 * Twice the standard error of a count is added to each.
 */
function mostFromOutside(real: readonly number[], chance: readonly number[], count: number): number {
  let least = 1;
  for (const range of ranges(CLASSES.length + 1)) {
    const found = within(real, range) * count;
    least = Math.min(least, (found + 1 + 2 * Math.sqrt(found + 0.5)) / (within(chance, range) * count));
  }
  return least;
}

/** Which share of the gaps lies before each class, and before the end of the last; all do before what comes after that. */
function sharesUpTo(gaps: readonly number[]): number[] {
  const sorted = Float64Array.from(gaps).sort();
  let count = 0;
  const shares = CLASSES.map((upTo) => {
    while (count < sorted.length && itemAt(sorted, count) <= upTo) count++;
    return count / sorted.length;
  });
  return [0, ...shares, 1];
}
