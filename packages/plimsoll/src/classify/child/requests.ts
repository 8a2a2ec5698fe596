import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { ThreadInfo } from '../../host/pool-threads.js';
import type { PoolEvent } from '../../libuv/job.js';
import { waitKinds } from '../../libuv/wait-kinds.js';
import { loadTarget } from '../../workloads/target.js';
import type { DrawAnswer, DrawJob, RequestRecord } from '../messages.js';
import { operations, type Start } from '../operations.js';
import { Call } from './call.js';
import { serveObservation } from './serve-observation.js';

export function serve(before: ThreadInfo[], after: ThreadInfo[]): void {
  serveObservation(before, after, prepare, (start, { requests }: DrawJob, observedThreads) =>
    record(start, requests, observedThreads).catch(
      ({ name, message }: Error): DrawAnswer => ({ type: 'failed', name, message }),
    ),
  );
}

async function prepare(job: DrawJob): Promise<Start> {
  const { subject } = job;
  return subject.kind === 'target' ? loadTarget(subject.target) : operations[subject.name][1](job);
}

async function record(start: Start, count: number, observedThreads: number | null): Promise<DrawAnswer> {
  // The first call loads and compiles; the picture shows the later ones.
  await completed(new Call(() => start(count)));
  const stop = await recordPool();
  const calls = Array.from({ length: count }, (_, index) => new Call(() => start(index)));
  await Promise.all(calls.map(completed));
  const events = await stop();
  return { type: 'recorded', observedThreads, requests: calls.map(recordOf), events };
}

async function completed(call: Call): Promise<void> {
  await call.ended;
  if (call.error !== null) throw call.error;
}

/** From `performance.now()` to the clock of trace events, in milliseconds; a delay between two readings only makes it smaller. */
const CLOCK_MS = Math.max(
  ...Array.from({ length: 10 }, () => Number(process.hrtime.bigint()) / 1e6 - performance.now()),
);

const recordOf = ({ startedMs, endedMs, ran, callbacks }: Call): RequestRecord => ({
  startedMs: startedMs + CLOCK_MS,
  endedMs: (endedMs ?? startedMs) + CLOCK_MS,
  ran: ran.map(([since, until]) => [since + CLOCK_MS, until + CLOCK_MS]),
  waits: waitKinds(callbacks),
});

/** Record the pool jobs of this process, Workers included. @returns ends the recording and returns its events in order. */
async function recordPool(): Promise<() => Promise<PoolEvent[]>> {
  const worker = new Worker(new URL('./collector.cjs', import.meta.url));
  const [answer] = await once(worker, 'message');
  if (answer !== 'tracing') throw new Error(`Node cannot trace its pool here: ${answer}`);
  return async () => {
    const events = once(worker, 'message');
    worker.postMessage('stop');
    const [recorded] = (await events) as [PoolEvent[]];
    await worker.terminate();
    return recorded.sort((a, b) => a.ts - b.ts);
  };
}
