import type { TaskFunction } from '../shared/calls.js';
import { now } from '../shared/clock.js';
import { Times } from '../shared/histogram.js';
import { CREATED, START } from '../shared/layout.js';
import { CALLED, cellsOf, IDLE, Marks, RETURNED, TAKEN, WRITTEN } from '../shared/marks.js';
import type { SharedTable } from '../shared/memory.js';
import { HEAP, type Startup } from '../shared/messages.js';
import { slotAt } from '../shared/table.js';
import type { Channel } from './channel.js';

const MEGABYTE = 2 ** 20;
/** Milliseconds between two looks at the heap, each of which takes some microseconds. */
const INTERVAL = 5;

/** Notes when tasks begin and end. */
export interface Recorder {
  /** The slot was claimed. */
  start(slot: number): void;
  /** Its outcome has been written. */
  end(slot: number): void;
  /** In place of a plain call of the function. */
  readonly call?: ((slot: number, handler: TaskFunction, task: unknown) => unknown) | undefined;
}

/** What the pool's options ask for; undefined: nothing. */
export function recorderFor(
  { times, marks, maxHeapMb }: Startup,
  table: SharedTable,
  channel: Channel,
): Recorder | undefined {
  const timed = times && new TimesRecorder(new Times(times), table);
  const marked = marks && new MarksRecorder(new Marks(marks));
  const watch = maxHeapMb === undefined ? undefined : new HeapWatch(maxHeapMb, channel);
  const all = [timed, marked, watch].filter((recorder) => recorder !== undefined);
  return all.length < 2 ? all[0] : new Recorders(all, marked?.call);
}

class Recorders implements Recorder {
  readonly #all: readonly Recorder[];
  readonly call: Recorder['call'];

  constructor(all: readonly Recorder[], call: Recorder['call']) {
    this.#all = all;
    this.call = call;
  }

  start(slot: number): void {
    for (const recorder of this.#all) recorder.start(slot);
  }

  end(slot: number): void {
    for (const recorder of this.#all) recorder.end(slot);
  }
}

/** Run and wait times, for `recordTiming`. */
class TimesRecorder implements Recorder {
  readonly #times: Times;
  readonly #table: SharedTable;

  constructor(times: Times, table: SharedTable) {
    this.#times = times;
    this.#table = table;
  }

  start(slot: number): void {
    this.#table.floats[(slotAt(this.#table.layout, slot) + START) >> 1] = now();
  }

  end(slot: number): void {
    const base = slotAt(this.#table.layout, slot);
    const start = this.#table.floats[(base + START) >> 1] as number;
    this.#times.run.record(now() - start);
    this.#times.wait.record(start - (this.#table.floats[(base + CREATED) >> 1] as number));
  }
}

/** Every step of a task, for `explain`. */
class MarksRecorder implements Recorder {
  readonly #cells: Float64Array;
  readonly #performance = process.getBuiltinModule('node:perf_hooks').performance;

  constructor(marks: Marks) {
    this.#cells = marks.cells;
  }

  start(slot: number): void {
    const cells = cellsOf(slot);
    this.#cells[cells + TAKEN] = now();
    this.#cells[cells + CALLED] = 0;
    this.#cells[cells + RETURNED] = 0;
    this.#cells[cells + IDLE] = -1;
  }

  end(slot: number): void {
    this.#cells[cellsOf(slot) + WRITTEN] = now();
  }

  readonly call = (slot: number, handler: TaskFunction, task: unknown): unknown => {
    const cells = cellsOf(slot);
    let isPromised = false;
    this.#cells[cells + CALLED] = now();
    try {
      const result = handler(task);
      isPromised = typeof (result as { then?: unknown } | null | undefined)?.then === 'function';
      return isPromised ? this.#settled(cells, result) : result;
    } finally {
      if (!isPromised) this.#cells[cells + RETURNED] = now();
    }
  };

  /** Until now the loop has not idled since the call, because nothing was awaited. */
  async #settled(cells: number, result: unknown): Promise<unknown> {
    const idle = this.#idle;
    try {
      return await result;
    } finally {
      this.#cells[cells + RETURNED] = now();
      this.#cells[cells + IDLE] = this.#idle - idle;
    }
  }

  /** Milliseconds in which this thread's event loop has waited for events so far. */
  get #idle(): number {
    return this.#performance.eventLoopUtilization().idle;
  }
}

/** Tells the host once when this worker's heap is larger than it shall be after a task. */
class HeapWatch implements Recorder {
  readonly #most: number;
  readonly #channel: Channel;
  readonly #statistics = process.getBuiltinModule('node:v8').getHeapStatistics;
  #nextLook = 0;
  #told = false;

  constructor(megabytes: number, channel: Channel) {
    this.#most = megabytes * MEGABYTE;
    this.#channel = channel;
  }

  start(): void {}

  end(): void {
    if (this.#told) return;
    const time = now();
    if (time < this.#nextLook) return;
    this.#nextLook = time + INTERVAL;
    const used = this.#statistics().used_heap_size;
    if (used <= this.#most) return;
    this.#told = true;
    this.#channel.post([HEAP, used]);
  }
}
