import { closeSync, openSync, writeSync } from 'node:fs';
import { cannotWrite } from '../errors.js';
import type { Trace, TracedJob, TracedProcess } from '../results/trace.js';

/** An event of Chrome's trace format, which ui.perfetto.dev opens. Times are microseconds. */
export interface ChromeEvent {
  /** A slice of a lane, a counter, or what a process or a lane is called. */
  readonly ph: 'X' | 'C' | 'M';
  readonly name: string;
  readonly pid: number;
  readonly tid?: number;
  readonly ts?: number;
  readonly dur?: number;
  readonly args: Readonly<Record<string, string | number | boolean | null>>;
}

/** Events are joined up to so many before they are written. */
const EVENTS_PER_WRITE = 5000;

/**
 * Write every job of a trace into a file for ui.perfetto.dev.
 *
 * @throws {PlimsollError} PLIMSOLL_OUTPUT_FAILED when the file cannot be written.
 * @example
 * const { trace: recorded } = await trace({ command: ['node', 'app.js'] });
 * writeTrace(recorded, 'app-trace.json');
 */
export function writeTrace(trace: Trace, file: string): void {
  try {
    const descriptor = openSync(file, 'w');
    try {
      const { command, startedAt, durationMs, ending, notes, environment } = trace;
      const about = { schema: 'plimsoll/1', command, startedAt, durationMs, ending, notes, environment };
      let text = [`{"otherData":${JSON.stringify(about)},\n"traceEvents":[\n`];
      let separator = '';
      for (const event of chromeEvents(trace)) {
        text.push(separator, JSON.stringify(event));
        separator = ',\n';
        if (text.length < EVENTS_PER_WRITE) continue;
        writeAll(descriptor, text.join(''));
        text = [];
      }
      writeAll(descriptor, `${text.join('')}\n]}\n`);
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    throw cannotWrite('out', file, error);
  }
}

function writeAll(descriptor: number, text: string): void {
  const bytes = Buffer.from(text);
  for (let written = 0; written < bytes.length; ) written += writeSync(descriptor, bytes, written);
}

/**
 * Of each process a lane for each pool thread, with the jobs in it, and counters: the jobs that wait for a thread, the results
 * that wait for the event loop, the cores that threads use.
 */
export function* chromeEvents({ processes }: Pick<Trace, 'processes'>): Generator<ChromeEvent> {
  for (const process of processes) {
    const { pid, script, jobs } = process;
    yield { ph: 'M', name: 'process_name', pid, args: { name: script ?? 'node' } };
    yield* slices(process);
    yield* counter('jobs that wait for a thread', pid, jobs, 'submitMs', 'startMs');
    yield* counter('results that wait for the event loop', pid, jobs, 'endMs', 'callbackMs');
    for (const { fromMs, toMs, eventLoop, pool, other } of process.usage) {
      const cores = (ms: number): number => ms / (toMs - fromMs || 1);
      const args = { loop: cores(eventLoop.cpuMs), pool: cores(pool.cpuMs), other: cores(other.cpuMs) };
      yield { ph: 'C', name: 'cores', pid, ts: us(fromMs), args };
    }
  }
}

const us = (ms: number): number => Math.round(ms * 1000);

/** The threads of jobs of fs and dns are not known, so each job is drawn in the first lane that is free. */
function* slices({ pid, jobs }: TracedProcess): Generator<ChromeEvent> {
  const freeAt: number[] = [];
  for (const job of jobs.toSorted((a, b) => a.startMs - b.startMs)) {
    const { kind, submitMs, startMs, endMs, callbackMs, cpuMs, inferred, thread, loopThread } = job;
    const free = freeAt.findIndex((end) => end <= startMs);
    const lane = free === -1 ? freeAt.length : free;
    const tid = pid + lane + 1;
    if (free === -1)
      yield { ph: 'M', name: 'thread_name', pid, tid, args: { name: `pool thread ${lane + 1}` } };
    freeAt[lane] = endMs;
    yield {
      ...{ ph: 'X', name: kind, pid, tid, ts: us(startMs), dur: us(endMs) - us(startMs) },
      args: {
        ...{ waitedMs: startMs - submitMs, loopWaitMs: callbackMs - endMs, cpuMs },
        ...{ inferred, thread, loopThread },
      },
    };
  }
}

/** How many jobs are between two of their times, at each change. */
function* counter(
  name: string,
  pid: number,
  jobs: readonly TracedJob[],
  from: 'submitMs' | 'endMs',
  to: 'startMs' | 'callbackMs',
): Generator<ChromeEvent> {
  const waiting = jobs.filter((job) => us(job[to]) > us(job[from]));
  const changes = waiting.flatMap((job) => [
    { ts: us(job[from]), by: 1 },
    { ts: us(job[to]), by: -1 },
  ]);
  changes.sort((a, b) => a.ts - b.ts);
  let count = 0;
  for (const [index, { ts, by }] of changes.entries()) {
    count += by;
    if (changes[index + 1]?.ts !== ts) yield { ph: 'C', name, pid, ts, args: { count } };
  }
}
