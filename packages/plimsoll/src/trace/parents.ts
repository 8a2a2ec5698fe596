import type { TracedJob } from '../results/trace.js';

/** Whatever comes later than this after a completion is not taken to follow from it. */
const LONGEST_MS = 10;
/** Half powers of two, from a few microseconds on: windows that are tried. */
const WINDOWS = Array.from({ length: 24 }, (_, index) => 0.004 * 2 ** (index / 2)).filter(
  (ms) => ms <= LONGEST_MS,
);
/** Moved by these times, submissions keep their rate but lose what they follow from. */
const SHIFTS = [-29.3, -11.1, -3.7, 3.7, 11.1, 29.3];
/** Of a kind's jobs so many more than by chance must follow a completion that closely. */
const LEAST_EXCESS = 0.2;

type Job = Omit<TracedJob, 'parent'>;

/**
 * Which job each was submitted after, because of it: in its callback, or later in the same turn of the event loop.
 *
 * Node does not tell. Known are the order of submissions and completions on a loop's thread, and their times. The parent
 * can only be the last completion on that loop before the submission. Whether it is the parent depends on how closely the
 * one follows the other: a chain submits its next job within its callback, a request from outside comes whenever it comes.
 * So for each kind the gaps are held against those of the same submissions moved by some milliseconds, which shows how
 * many follow a completion closely by chance alone. The window in which the real ones exceed those most is the kind's; with
 * less than a fifth in excess there is no chain, and every job is a root.
 *
 * Limits: in the window of a kind with chains, what came from outside right after somebody else's completion counts as its
 * child; a callback that computes for more than 10 ms before it submits loses its child; a client that sends its next
 * request within milliseconds of an answer looks like a chain, which it is.
 *
 * @param jobs in the order of submission.
 * @returns for each job the index of its parent, or `null`.
 */
export function parents(jobs: readonly Job[]): (number | null)[] {
  const last = lastCompletions(jobs);
  const windows = windowsByKind(jobs, last);
  return jobs.map(({ kind, loop, submitMs }) => {
    const window = windows.get(kind) ?? 0;
    const found = window === 0 ? null : last(loop, submitMs);
    return found !== null && submitMs - found.atMs <= window ? found.index : null;
  });
}

interface Completion {
  readonly index: number;
  readonly atMs: number;
}

type LastCompletion = (loop: number, timeMs: number) => Completion | null;

function lastCompletions(jobs: readonly Job[]): LastCompletion {
  const loops = new Map<number, Completion[]>();
  for (const [index, { loop, callbackMs }] of jobs.entries()) {
    const completions = loops.get(loop) ?? [];
    completions.push({ index, atMs: callbackMs });
    loops.set(loop, completions);
  }
  for (const completions of loops.values()) completions.sort((a, b) => a.atMs - b.atMs);
  return (loop, timeMs) => {
    const completions = loops.get(loop) ?? [];
    let from = 0;
    for (let to = completions.length; from < to; ) {
      const middle = (from + to) >> 1;
      if ((completions[middle] as Completion).atMs <= timeMs) from = middle + 1;
      else to = middle;
    }
    return completions[from - 1] ?? null;
  };
}

function windowsByKind(jobs: readonly Job[], last: LastCompletion): Map<string, number> {
  const kinds = groups(jobs);
  return new Map([...kinds].map(([kind, own]) => [kind, windowOf(own, last)]));
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

function windowOf(jobs: readonly Job[], last: LastCompletion): number {
  const step = Math.max(1, Math.floor(jobs.length / MOST_SAMPLES));
  const sample = jobs.filter((_, index) => index % step === 0);
  const gaps = (shift: number): number[] =>
    sample.map(({ loop, submitMs }) => {
      const found = last(loop, submitMs + shift);
      return found === null ? Number.POSITIVE_INFINITY : submitMs + shift - found.atMs;
    });
  const within = (values: readonly number[], window: number): number =>
    values.filter((gap) => gap <= window).length / values.length;
  const real = gaps(0);
  const chance = SHIFTS.flatMap(gaps);
  let best = { window: 0, excess: LEAST_EXCESS };
  for (const window of WINDOWS) {
    const excess = within(real, window) - within(chance, window);
    if (excess > best.excess) best = { window, excess };
  }
  return best.window;
}
