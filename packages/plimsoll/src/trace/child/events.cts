import type { PoolEvent } from '../../libuv/job.js' with { 'resolution-mode': 'import' };
import type { EventCategory, RecordedEvent, RecordedLine } from './lines.cjs';

import CATEGORIES = require('../../lab/child/trace-categories.cjs');
import TraceSession = require('../../lab/child/trace-session.cjs');
import log = require('./log.cjs');
import threads = require('./threads.cjs');

const { now } = log;

/**
 * Node hands events out when 65,536 have gathered, or when somebody joins or leaves those who trace, as a second session
 * does after this time. Were the one session stopped and started, the app would run in between, unseen.
 */
const FETCH_MS = 1000;
/**
 * Node must never fetch by itself: its own thread then writes where the stop of tracing writes too, unguarded, and ends the
 * process (docs/decisions). A submission costs its event loop more than 2.5 µs of CPU for each event, so that fewer than
 * 65,536 gather in 160 ms of it.
 */
const FETCH_LOOP_CPU_MS = 40;
/** So much CPU of the thread that fetches by itself, and it does so now. */
const FETCHING_MS = 1;

/** The trace events of the app's threads, fetched before they are lost. */
class EventSource {
  readonly #session = new TraceSession((events) => this.#take(events));
  readonly #second = new TraceSession(() => {});
  readonly #emit: (line: RecordedLine) => void;
  /** Threads that were seen to run jobs. Before libuv 1.50 nothing else tells them from threads with an event loop. */
  readonly #pool = new Set<number>();
  #fetchedAt = 0;
  #loopCpuMs = 0;
  /** Node's thread that empties a full buffer, and its CPU time. */
  #flusher: number | null = null;
  #flusherCpu = 0;
  #fetching: Promise<void> | null = null;

  constructor(emit: (line: RecordedLine) => void) {
    this.#emit = emit;
  }

  /** Resolves when everything from now on is seen. @throws when Node does not trace here. */
  async start(): Promise<void> {
    const before = new Set(threads.list());
    await this.#session.start();
    this.#flusher = threads.list().find((tid) => !before.has(tid)) ?? null;
    this.#remember();
  }

  tick(): void {
    if (this.#fetching !== null || this.#isFlushing()) return;
    const isDue = now() - this.#fetchedAt >= FETCH_MS * 1000;
    if (!isDue && threads.loopCpuMs(this.#pool) - this.#loopCpuMs < FETCH_LOOP_CPU_MS) return;
    this.#fetching = this.#fetch().finally(() => {
      this.#fetching = null;
    });
  }

  /** A second session that comes and goes makes Node hand out what there is. */
  async #fetch(): Promise<void> {
    this.#remember();
    try {
      for (const step of ['start', 'stop'] as const) {
        const from = now();
        await this.#second[step]();
        this.#emit({ type: 'gap', from, to: now() });
      }
    } catch {
      // The app's thread is gone.
    }
  }

  /** Resolves when all that it saw has been emitted. */
  async stop(): Promise<void> {
    await this.#fetching;
    while (this.#isFlushing()) await new Promise((resolve) => setTimeout(resolve, 5));
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

  /** Whether Node's own thread has been at work since the last sample: the buffer was full. */
  #isFlushing(): boolean {
    const cpu = this.#flusher === null ? 0 : (threads.usage(this.#flusher)?.cpu ?? 0) / 1e6;
    const isFlushing = cpu - this.#flusherCpu > FETCHING_MS;
    this.#flusherCpu = cpu;
    return isFlushing;
  }

  #take(all: readonly PoolEvent[]): void {
    const events = all.map(compact).filter((event) => event !== null);
    if (events.length > 0) this.#emit({ type: 'events', events });
    const known = this.#pool.size;
    for (const [ph, , , tid] of events) if (ph === 'B') this.#pool.add(tid);
    // The buffer was emptied a moment ago, so the count may begin anew without them.
    if (this.#pool.size > known) this.#loopCpuMs = threads.loopCpuMs(this.#pool);
  }
}

/** By all categories of an event as Node joins them; there are a handful. */
const codes = new Map<string, EventCategory | null>();

function codeOf(cat: string): EventCategory | null {
  const known = codes.get(cat);
  if (known !== undefined) return known;
  const entries = Object.entries(CATEGORIES) as [EventCategory, string][];
  const code = entries.find(([, category]) => cat.split(',').includes(category))?.[0] ?? null;
  codes.set(cat, code);
  return code;
}

function compact({ ph, cat, name, tid, ts, tts, id, args }: PoolEvent): RecordedEvent | null {
  const code = codeOf(cat);
  // Metadata has another category.
  if (code === null) return null;
  const result = args?.result;
  return [ph, code, name, tid, ts, tts ?? null, id ?? null, typeof result === 'number' ? result : null];
}

export = EventSource;
