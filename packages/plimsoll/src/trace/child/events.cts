import type { TraceEvent } from '../../lab/child/trace-event.cjs';
import type { Line, RecordedLine } from './lines.cjs';

import timers = require('node:timers/promises');
import TraceSession = require('../../lab/child/trace-session.cjs');
import log = require('./log.cjs');
import threads = require('./threads.cjs');

const { now } = log;

/**
 * Node delivers events when 65,536 have gathered, or when a session starts or stops tracing. A second session does both
 * after this time, so that a killed process leaves something. Stopping and starting the one session would let the
 * app run untraced in between; this way tracing stands still only within one step of the app's thread.
 */
const FETCH_US = 1_000_000;
/**
 * The buffer must never fill: then Node's own thread empties it, and a stop of tracing at that moment ends the process with
 * an assertion or a segmentation fault (seen on 20.20.2 and 24.21.0). An event costs its event loop more than 2.5 µs of CPU,
 * so fewer than 65,536 gather in 160 ms of it.
 */
const FETCH_LOOP_CPU_MS = 40;
/** Node's emptying thread is at work if it used so much CPU since the previous look. */
const FLUSHING_MS = 1;

/** The trace events of the app's threads. */
class EventSource {
  /** Events fetched so far. */
  taken = 0;
  hasStopped = false;
  readonly #session = new TraceSession((events) => this.#take(events));
  readonly #second = new TraceSession(() => {});
  readonly #emit: (line: RecordedLine) => void;
  /** Threads known from their work. Before libuv 1.50 nothing else tells them from threads with an event loop. */
  readonly #pool = new Set<number>();
  /** Submission times of jobs whose return has not been fetched. */
  readonly #open = new Map<string, number>();
  #isTracing = false;
  #fetchedAt = 0;
  #loopCpuMs = 0;
  /** Node's thread that empties a full buffer, and its CPU time. */
  #flusher: number | null = null;
  #flusherMs = 0;
  #fetching: Promise<void> | null = null;

  constructor(emit: (line: RecordedLine) => void) {
    this.#emit = emit;
  }

  /** Resolves when everything from now on is traced. @throws when Node does not trace here. */
  async start(): Promise<void> {
    const before = new Set(threads.list());
    await this.#session.start();
    this.#flusher ??= threads.list().find((tid) => !before.has(tid)) ?? null;
    this.#open.clear();
    this.#isTracing = true;
    this.#remember();
  }

  tick(): void {
    if (!this.#isTracing) return;
    const isDue = now() - this.#fetchedAt >= FETCH_US;
    if (isDue || threads.loopCpuMs(this.#pool) - this.#loopCpuMs >= FETCH_LOOP_CPU_MS) void this.fetch();
  }

  /** Whether a job submitted between these times has not returned, as far as events were fetched. */
  isOpen(from: number, to: number): boolean {
    return [...this.#open.values()].some((submitted) => submitted >= from && submitted < to);
  }

  fetch(): Promise<void> {
    this.#fetching ??= this.#fetch().finally(() => {
      this.#fetching = null;
    });
    return this.#fetching;
  }

  async #fetch(): Promise<void> {
    await this.#untilFlushed();
    this.#remember();
    try {
      for (const step of ['start', 'stop'] as const) {
        const from = now();
        await this.#second[step]();
        this.#emit({ type: 'gap', from, to: now() });
      }
      await this.#session.delivered();
    } catch {
      // The app's thread is gone.
    }
  }

  /** Stop tracing until the next start. */
  async pause(): Promise<void> {
    this.#isTracing = false;
    await this.#fetching;
    await this.#untilFlushed();
    await this.#session.stop();
  }

  /** Resolves when all events have been emitted. */
  async stop(): Promise<void> {
    if (this.hasStopped) return;
    this.hasStopped = true;
    this.#isTracing = false;
    await this.#fetching;
    await this.#untilFlushed();
    try {
      await this.#session.end();
      this.#second.disconnect();
    } catch {
      // The app's thread is gone.
    }
  }

  #remember(): void {
    this.#fetchedAt = now();
    this.#loopCpuMs = threads.loopCpuMs(this.#pool);
  }

  async #untilFlushed(): Promise<void> {
    while (this.#flusher !== null) {
      const ms = (threads.usage(this.#flusher)?.cpu ?? 0) / 1e6;
      const isFlushing = ms - this.#flusherMs > FLUSHING_MS;
      this.#flusherMs = ms;
      if (!isFlushing) return;
      await timers.setTimeout(5);
    }
  }

  #take(all: readonly TraceEvent[]): void {
    const events = all.filter(({ cat }) => cat !== '__metadata').map(recorded);
    if (events.length > 0) this.#emit({ type: 'events', events });
    this.taken += events.length;
    const known = this.#pool.size;
    for (const { ph, cat, tid, ts, id } of events) {
      if (ph === 'B') this.#pool.add(tid);
      else if (ph === 'b') this.#open.set(`${cat}${id}`, ts);
      else if (ph === 'e') this.#open.delete(`${cat}${id}`);
    }
    // The buffer was emptied a moment ago, so the CPU time may be counted anew, without these threads.
    if (this.#pool.size > known) this.#loopCpuMs = threads.loopCpuMs(this.#pool);
  }
}

/** Cheap, since a recorder that falls behind lets the buffer fill. Of the categories that Node joins, the last counts. */
const recorded = ({ ph, cat, name, tid, ts, tts, id, args }: TraceEvent): Line<'events'>['events'][number] => ({
  ph,
  cat: cat.slice(cat.lastIndexOf(',') + 1),
  name,
  tid,
  ts,
  tts,
  id,
  args: { result: args?.result },
});

export = EventSource;
