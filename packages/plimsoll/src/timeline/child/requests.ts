import type { ThreadInfo } from '../../host/pool-threads.js';
import { follow } from '../../lab/child/follow.js';
import { PoolEvents } from '../../lab/child/pool-events.js';
import { serveObservation } from '../../lab/child/serve-observation.js';
import { waitKinds } from '../../libuv/wait-kinds.js';
import type { RequestRecord, TimelineAnswer, TimelineJob } from '../messages.js';
import { prepareRequests, type Start } from './operation.js';

/** Run some requests at once and record what became of each. */
export function serve(before: ThreadInfo[], after: ThreadInfo[]): void {
  serveObservation(before, after, prepareRequests, work);
}

function work(start: Start, job: TimelineJob, observedThreads: number | null): Promise<TimelineAnswer> {
  return new Promise((resolve) => {
    process.once('uncaughtException', (error) => resolve(failure(error)));
    record(start, job.requests, observedThreads).then(resolve, (error) => resolve(failure(error)));
  });
}

async function record(start: Start, count: number, observedThreads: number | null): Promise<TimelineAnswer> {
  // The first call loads and compiles; the picture is to show the others.
  await start(count);
  const recording = await PoolEvents.start();
  const requests = await Promise.all(Array.from({ length: count }, (_, index) => request(start, index)));
  return { type: 'recorded', observedThreads, requests, events: await recording.stop() };
}

/** From `performance.now()` to the clock of trace events, in milliseconds: whatever comes between the two readings only makes it smaller. */
const CLOCK_MS = Math.max(
  ...Array.from({ length: 10 }, () => Number(process.hrtime.bigint()) / 1e6 - performance.now()),
);

async function request(start: Start, index: number): Promise<RequestRecord> {
  const ran: [number, number][] = [];
  const callbacks: string[] = [];
  let endedAt: number | null = null;
  const follower = {
    calledBack: (type: string) => {
      if (endedAt === null) callbacks.push(type);
    },
    ran: (since: number, until: number) => {
      if (endedAt === null || since <= endedAt) ran.push([since + CLOCK_MS, until + CLOCK_MS]);
    },
  };
  const started = performance.now();
  await follow(follower, () => {
    const returned = start(index);
    // What returned no promise has completed; this function only goes on when all requests have been started.
    if (!(returned instanceof Promise)) endedAt = performance.now();
    return returned;
  });
  const endedMs = (endedAt ?? performance.now()) + CLOCK_MS;
  endedAt ??= endedMs;
  return { startedMs: started + CLOCK_MS, endedMs, ran, waits: waitKinds(callbacks) };
}

function failure(error: unknown): TimelineAnswer {
  const { name, message } = error instanceof Error ? error : new Error(String(error));
  return { type: 'failed', name, message };
}
