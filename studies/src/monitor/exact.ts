/** A job of a pool with one thread, from a trace; milliseconds. */
export interface Job {
  readonly submitMs: number;
  readonly startMs: number;
  readonly endMs: number;
}

export interface Exact {
  readonly seconds: number;
  readonly utilization: number;
  readonly jobsMean: number;
  readonly mean: number;
  readonly p99: number;
}

const STEP_MS = 0.1;

/**
 * What jobs waited, and what one would have waited that came at any time in between: until the last job that had been
 * submitted before it ended. That is what canaries estimate, at random times.
 *
 * @param jobs in the order of submission, at least one
 */
export function exactWaits(jobs: readonly Job[]): Exact {
  const [first] = jobs as readonly [Job];
  const begin = first.submitMs;
  const end = Math.max(...jobs.map(({ endMs }) => endMs));
  const waits: number[] = [];
  let next = 0;
  let freeAt = 0;
  for (let time = begin; time < end; time += STEP_MS) {
    for (; next < jobs.length && (jobs[next] as Job).submitMs <= time; next++)
      freeAt = Math.max(freeAt, (jobs[next] as Job).endMs);
    waits.push(Math.max(0, freeAt - time));
  }
  waits.sort((a, b) => a - b);
  return {
    seconds: (end - begin) / 1000,
    utilization: sum(jobs.map(({ startMs, endMs }) => endMs - startMs)) / (end - begin),
    jobsMean: sum(jobs.map(({ submitMs, startMs }) => startMs - submitMs)) / jobs.length,
    mean: sum(waits) / waits.length,
    p99: waits[Math.floor(waits.length * 0.99)] ?? 0,
  };
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
