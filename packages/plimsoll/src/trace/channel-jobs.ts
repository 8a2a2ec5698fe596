import type { Unplaced } from '../libuv/job.js';
import type { ChannelLine } from './child/lines.cjs';

/** Two reports of one job begin at most so far apart, in microseconds. */
const APART_US = 1000;

/**
 * Jobs as Node published them on its diagnostics channels, with what only trace events tell of the same jobs (the thread,
 * its CPU time, the moment of the callback); and all other jobs as they were.
 *
 * @param traced in the order of submission.
 */
export function mergeChannel(traced: readonly Unplaced[], lines: readonly ChannelLine[]): Unplaced[] {
  if (lines.length === 0) return [...traced];
  const byKind = new Map<string, Unplaced[]>();
  for (const job of traced) {
    const key = `${job.loop} ${job.name}`;
    const own = byKind.get(key);
    if (own === undefined) byKind.set(key, [job]);
    else own.push(job);
  }
  const published = new Map<Unplaced, Unplaced>();
  const alone: Unplaced[] = [];
  for (const line of lines.toSorted((a, b) => a.enqueued - b.enqueued)) {
    // A cancelled job has not run.
    if (line.started === null || line.ended === null) continue;
    const twin = takeTwin(byKind.get(`${line.loop} ${line.kind}`) ?? [], line.enqueued);
    const started = Math.max(line.enqueued, line.started);
    const job = jobOf(line, started, Math.max(started, line.ended), twin);
    if (twin === undefined) alone.push(job);
    else published.set(twin, job);
  }
  return [...traced.map((job) => published.get(job) ?? job), ...alone].sort(
    (a, b) => a.submitted - b.submitted,
  );
}

/** Take the first job that was submitted at about that time; those from long before will not be asked for any more. */
function takeTwin(jobs: Unplaced[], enqueued: number): Unplaced | undefined {
  while ((jobs[0]?.submitted ?? Number.POSITIVE_INFINITY) < enqueued - APART_US) jobs.shift();
  return (jobs[0]?.submitted ?? Number.POSITIVE_INFINITY) <= enqueued + APART_US ? jobs.shift() : undefined;
}

const jobOf = (
  { kind, loop, enqueued, at }: ChannelLine,
  started: number,
  ended: number,
  twin: Unplaced | undefined,
): Unplaced => ({
  name: kind,
  kind: 'work',
  submitted: enqueued,
  started,
  ended,
  loop,
  returned: Math.max(ended, twin?.returned ?? at),
  tid: twin?.tid ?? null,
  cpu: twin?.cpu ?? null,
  inferred: false,
  call: twin?.call,
});
