import { isThenable, type TaskFunction } from '../shared/calls.js';
import { now } from '../shared/clock.js';
import { Times } from '../shared/histogram.js';
import { CREATED, START } from '../shared/layout.js';
import { CALLED, cellsOf, IDLE, Marks, RETURNED, TAKEN, WRITTEN } from '../shared/marks.js';
import { HEAP, type Startup } from '../shared/messages.js';
import { slotAt } from '../shared/table.js';
import type { Channel } from './channel.js';

const MEGABYTE = 2 ** 20;
/** Milliseconds between two looks at the heap, each of which takes some microseconds. */
const INTERVAL = 5;

/** Notes what the pool's options ask for: times of tasks, each of their steps, and that the heap is larger than it shall be. */
export class Recorder {
  /** In place of a plain call of the function. */
  readonly call: ((slot: number, handler: TaskFunction, task: unknown) => unknown) | undefined;
  readonly #times: Times | undefined;
  readonly #cells: Float64Array | undefined;
  readonly #mostHeap: number;
  #nextLook: number;
  readonly #channel: Channel;

  constructor({ times, marks, maxHeapMb }: Startup, channel: Channel) {
    const cells = marks && new Marks(marks).cells;
    this.call = cells && ((slot, handler, task) => callMarked(cells, cellsOf(slot), handler, task));
    this.#times = times && new Times(times);
    this.#cells = cells;
    this.#mostHeap = (maxHeapMb ?? 0) * MEGABYTE;
    this.#nextLook = maxHeapMb === undefined ? Number.POSITIVE_INFINITY : 0;
    this.#channel = channel;
  }

  /** The slot was claimed. */
  start(slot: number): void {
    const { floats, layout } = this.#channel.table;
    const time = now();
    if (this.#times !== undefined) floats[(slotAt(layout, slot) + START) >> 1] = time;
    if (this.#cells === undefined) return;
    const at = cellsOf(slot);
    this.#cells[at + TAKEN] = time;
    this.#cells[at + CALLED] = 0;
    this.#cells[at + RETURNED] = 0;
    this.#cells[at + IDLE] = -1;
  }

  /** Its outcome has been written. */
  end(slot: number): void {
    const { floats, layout } = this.#channel.table;
    const time = now();
    if (this.#times !== undefined) {
      const base = slotAt(layout, slot);
      const start = floats[(base + START) >> 1] as number;
      this.#times.run.record(time - start);
      this.#times.wait.record(start - (floats[(base + CREATED) >> 1] as number));
    }
    if (this.#cells !== undefined) this.#cells[cellsOf(slot) + WRITTEN] = time;
    if (time >= this.#nextLook) this.#lookAtHeap(time);
  }

  /** Tells the host once. */
  #lookAtHeap(time: number): void {
    const used = process.getBuiltinModule('node:v8').getHeapStatistics().used_heap_size;
    this.#nextLook = used > this.#mostHeap ? Number.POSITIVE_INFINITY : time + INTERVAL;
    if (used > this.#mostHeap) this.#channel.post([HEAP, used]);
  }
}

function callMarked(cells: Float64Array, at: number, handler: TaskFunction, task: unknown): unknown {
  let isLater = false;
  cells[at + CALLED] = now();
  try {
    const result = handler(task);
    isLater = isThenable(result);
    return isLater ? settled(cells, at, result) : result;
  } finally {
    if (!isLater) cells[at + RETURNED] = now();
  }
}

/** Until now the loop has not idled since the call, because nothing was awaited. */
async function settled(cells: Float64Array, at: number, result: unknown): Promise<unknown> {
  const before = idle();
  try {
    return await result;
  } finally {
    cells[at + RETURNED] = now();
    cells[at + IDLE] = idle() - before;
  }
}

/** Milliseconds in which this thread's event loop has waited for events so far. */
const idle = (): number =>
  process.getBuiltinModule('node:perf_hooks').performance.eventLoopUtilization().idle;
