import inspector = require('node:inspector');
import CallRing = require('./calls/ring.cjs');
import constants = require('./constants.cjs');

import type { EventCategory, ProblemLine, RecordedEvent, RecordedLine, SignalSource } from './lines.cjs';

import threads = require('./threads.cjs');

const { CATEGORIES, now } = constants;

interface Message {
  readonly params: { readonly value: readonly TraceEvent[] };
}

interface TraceEvent {
  readonly ph: string;
  readonly cat: string;
  readonly name: string;
  readonly tid: number;
  readonly ts: number;
  readonly tts?: number;
  readonly id?: string;
  readonly args?: { readonly result?: unknown };
}

/**
 * Node buffers events and hands them out when 65,536 have gathered, or whenever somebody joins or leaves those who trace. So
 * that a process that is killed leaves something, a second session joins and leaves after this time. Stopping and starting
 * the one session would do too, but the app may run in between, and its submissions and completions would be lost; as it is,
 * tracing stands still only within one step of the app's own thread.
 */
const FETCH_MS = 1000;
/**
 * Node must never fetch by itself: its own thread then writes where the stop of tracing writes too, unguarded, and ends the
 * process with an assertion or a segmentation fault (seen on 20.20.2 and 24.21.0). So it is fetched after so many jobs, at four
 * events each, where hooks count all of them. Elsewhere the event loops' CPU time bounds them: whatever submits a job needs more
 * than 2.5 µs of it per event, so that fewer than 65,536 gather in 160 ms. Fetching that often costs a busy loop a quarter.
 */
const FETCH_JOBS = 4096;
const FETCH_LOOP_CPU_MS = 40;
/** So much CPU of the thread that fetches by itself, and it does so now. */
const FETCHING_MS = 1;

/** Trace events over the inspector, from a Worker: events arrive as objects, and no file of Node's is written on the pool. */
class InspectorSource implements SignalSource {
  readonly #session = new inspector.Session();
  readonly #other = new inspector.Session();
  #emit: (line: RecordedLine) => void = () => {};
  #fetched = 0;
  #loopCpu = 0;
  #jobs = 0;
  readonly #calls: CallRing | null;
  /** The Worker of the recorder itself, and what was there before it. */
  readonly #uncounted: number;
  /** Threads that were seen to run jobs. Before libuv 1.50 nothing else tells them from threads with an event loop. */
  readonly #pool = new Set<number>();
  #fetcher: number | null = null;
  #fetcherCpu = 0;
  #stopped = false;
  /** Trace events are recorded now: they stand still when the hooks do. */
  #isTracing = true;
  readonly #shared: CallRing | null;
  #stoppedAt = 0;
  readonly #config: object;
  #fetching: Promise<void> | null = null;

  /**
   * @param without categories that are not needed.
   * @param calls memory of the hooks; `null` where there are none.
   * @param countsAll whether they count all jobs that events tell of.
   */
  constructor(without: readonly string[], calls: SharedArrayBuffer | null, countsAll: boolean) {
    this.#shared = calls === null ? null : new CallRing(calls);
    this.#calls = countsAll ? this.#shared : null;
    this.#uncounted = this.#calls?.uncounted ?? 0;
    const wanted = Object.entries(CATEGORIES).filter(([letter]) => !without.includes(letter));
    this.#config = { traceConfig: { includedCategories: wanted.map(([, category]) => category) } };
  }

  async start(emit: (line: RecordedLine) => void): Promise<ProblemLine | null> {
    this.#emit = emit;
    const before = new Set(threads.list());
    try {
      this.#session.connectToMainThread();
      this.#session.on('NodeTracing.dataCollected', (message: unknown) => this.#take(message as Message));
      this.#other.connectToMainThread();
      await post(this.#session, 'NodeTracing.start', this.#config);
    } catch (error) {
      this.#stopped = true;
      return { type: 'problem', id: 'inspector', detail: String((error as Error)?.message ?? error) };
    }
    this.#fetcher = threads.list().find((tid) => !before.has(tid)) ?? null;
    this.#remember();
    return null;
  }

  tick(): void {
    if (this.#stopped || this.#fetching !== null || this.#nodeFetches()) return;
    const isWanted = this.#shared?.isRecording ?? true;
    if (isWanted !== this.#isTracing) {
      this.#begin(this.#switch(isWanted));
      return;
    }
    if (!this.#isTracing) return;
    if (now() - this.#fetched < FETCH_MS * 1000 && !this.#mayHaveGathered()) return;
    this.#begin(this.#fetch());
  }

  #begin(work: Promise<void>): void {
    this.#fetching = work.finally(() => {
      this.#fetching = null;
    });
  }

  /** As for a fetch, but the app goes on in between. */
  async #switch(isTracing: boolean): Promise<void> {
    this.#remember();
    this.#isTracing = isTracing;
    const from = now();
    try {
      await post(
        this.#session,
        isTracing ? 'NodeTracing.start' : 'NodeTracing.stop',
        isTracing ? this.#config : {},
      );
    } catch {
      // The app's thread is gone.
    }
    if (isTracing) this.#emit({ type: 'gap', from: this.#stoppedAt, to: now() });
    else this.#stoppedAt = from;
    this.#shared?.setTraced(isTracing);
  }

  /** Whether there may be so many events that they must be fetched. */
  #mayHaveGathered(): boolean {
    const calls = this.#calls;
    return calls !== null && calls.uncounted === this.#uncounted
      ? ((calls.traced - this.#jobs) | 0) >= FETCH_JOBS
      : loopCpuMs(this.#pool) - this.#loopCpu >= FETCH_LOOP_CPU_MS;
  }

  /** A second session that comes and goes makes Node hand out what there is. */
  async #fetch(): Promise<void> {
    this.#remember();
    try {
      for (const method of ['NodeTracing.start', 'NodeTracing.stop']) {
        const from = now();
        await post(this.#other, method, method === 'NodeTracing.start' ? this.#config : {});
        this.#emit({ type: 'gap', from, to: now() });
      }
    } catch {
      // The app's thread is gone.
    }
  }

  async stop(): Promise<void> {
    if (this.#stopped) return;
    this.#stopped = true;
    await this.#fetching;
    while (this.#nodeFetches()) await new Promise((resolve) => setTimeout(resolve, 5));
    try {
      if (this.#isTracing) await post(this.#session, 'NodeTracing.stop');
      // That it is complete is told before the data comes, on every version; a second question is answered after it.
      await post(this.#session, 'NodeTracing.getCategories');
      this.#other.disconnect();
      this.#session.disconnect();
    } catch {
      // The app's thread is gone.
    }
  }

  #remember(): void {
    this.#fetched = now();
    this.#jobs = this.#calls?.traced ?? 0;
    this.#loopCpu = loopCpuMs(this.#pool);
  }

  /** Whether Node's own thread has been at work since the last sample: the buffer was full. */
  #nodeFetches(): boolean {
    const cpu = this.#fetcher === null ? 0 : (threads.usage(this.#fetcher)?.cpu ?? 0) / 1e6;
    const fetches = cpu - this.#fetcherCpu > FETCHING_MS;
    this.#fetcherCpu = cpu;
    return fetches;
  }

  #take({ params }: Message): void {
    const events = params.value.map(compact).filter((event) => event !== null);
    if (events.length > 0) this.#emit({ type: 'events', events });
    const known = this.#pool.size;
    for (const [ph, , , tid] of events) if (ph === 'B') this.#pool.add(tid);
    // The buffer was emptied a moment ago, so the count may begin anew without them.
    if (this.#pool.size > known) this.#loopCpu = loopCpuMs(this.#pool);
  }
}

const post = (session: inspector.Session, method: string, params: object = {}): Promise<void> =>
  new Promise((resolve, reject) => {
    session.post(method, params, (error: Error | null) => (error ? reject(error) : resolve()));
  });

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

function compact({ ph, cat, name, tid, ts, tts, id, args }: TraceEvent): RecordedEvent | null {
  const code = codeOf(cat);
  // Metadata has another category.
  if (code === null) return null;
  const result = args?.result;
  return [ph, code, name, tid, ts, tts ?? null, id ?? null, typeof result === 'number' ? result : null];
}

/** CPU time of everything that may be an event loop; of the whole process where threads cannot be looked at. */
function loopCpuMs(pool: ReadonlySet<number>): number {
  const used = threads.loopCpu(pool);
  if (used !== null) return used / 1e6;
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

export = InspectorSource;
