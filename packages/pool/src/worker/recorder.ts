import { isThenable, type TaskFunction, withEnd } from '../shared/calls.js';
import { now } from '../shared/clock.js';
import { Times } from '../shared/histogram.js';
import { CREATED, START } from '../shared/layout.js';
import { CALLED, cellsOf, IDLE, RETURNED, TAKEN, WRITTEN } from '../shared/marks.js';
import type { Startup } from '../shared/messages.js';
import { slotAt } from '../shared/table.js';
import type { Channel } from './channel.js';

const MEGABYTE = 2 ** 20;
/** Milliseconds between two looks at the heap, each of which takes some microseconds. */
const INTERVAL = 5;

/** Notes what the pool's options ask for: times of tasks, each of their steps, and that the heap is larger than it shall be. */
export function recorderOf(startup: Startup, channel: Channel) {
  const { floats, layout } = channel.table;
  const { marks: cells, maxHeapMb = Number.POSITIVE_INFINITY } = startup;
  const times = startup.times && new Times(startup.times);
  let nextLook = maxHeapMb === Number.POSITIVE_INFINITY ? maxHeapMb : 0;

  /** Tells the host once. */
  function lookAtHeap(time: number): void {
    const used = process.getBuiltinModule('node:v8').getHeapStatistics().used_heap_size;
    const isTooLarge = used > maxHeapMb * MEGABYTE;
    nextLook = isTooLarge ? Number.POSITIVE_INFINITY : time + INTERVAL;
    if (isTooLarge) channel.post(['heap']);
  }

  return {
    /** The slot was claimed. */
    start(slot: number): void {
      const time = now();
      if (times !== undefined) floats[(slotAt(layout, slot) + START) >> 1] = time;
      if (cells !== undefined) cells.set([time, 0, 0, 0, -1], cellsOf(slot) + TAKEN);
    },
    /** In place of a plain call of the function. */
    call:
      cells &&
      ((slot: number, handler: TaskFunction, task: unknown) =>
        callMarked(cells, cellsOf(slot), handler, task)),
    /** Its outcome has been written. */
    end(slot: number): void {
      const time = now();
      if (times !== undefined) {
        const base = slotAt(layout, slot);
        const start = floats[(base + START) >> 1] as number;
        times.run.record(time - start);
        times.wait.record(start - (floats[(base + CREATED) >> 1] as number));
      }
      if (cells !== undefined) cells[cellsOf(slot) + WRITTEN] = time;
      if (time >= nextLook) lookAtHeap(time);
    },
  };
}

function callMarked(cells: Float64Array, at: number, handler: TaskFunction, task: unknown): unknown {
  let idleBefore: number | undefined;
  cells[at + CALLED] = now();
  const call = (): unknown => {
    const result = handler(task);
    // Until now the loop has not idled since the call, because nothing was awaited.
    if (isThenable(result)) idleBefore = idle();
    return result;
  };
  return withEnd(call, () => {
    cells[at + RETURNED] = now();
    if (idleBefore !== undefined) cells[at + IDLE] = idle() - idleBefore;
  });
}

/** Milliseconds in which this thread's event loop has waited for events so far. */
const idle = (): number =>
  process.getBuiltinModule('node:perf_hooks').performance.eventLoopUtilization().idle;
