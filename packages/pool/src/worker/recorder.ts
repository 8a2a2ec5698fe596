import { isThenable, type TaskFunction, withEnd } from '../shared/calls.js';
import { now } from '../shared/clock.js';
import { Times } from '../shared/histogram.js';
import { CREATED, START } from '../shared/layout.js';
import { CALLED, cellsOf, IDLE, RETURNED, TAKEN, WRITTEN } from '../shared/marks.js';
import type { Startup } from '../shared/messages.js';
import { slotAt } from '../shared/table.js';
import type { Channel } from './channel.js';

const MEGABYTE = 2 ** 20;
/** Milliseconds between two checks of the heap, each of which takes microseconds. */
const INTERVAL = 5;

/** Records what options ask for: times of tasks, times of their steps, and whether the heap exceeds `maxHeapMb`. */
export function recorderOf(startup: Startup, channel: Channel) {
  const { floats, layout } = channel.table;
  const { marks: cells, maxHeapMb = Number.POSITIVE_INFINITY } = startup;
  const times = startup.times && new Times(startup.times);
  let nextLook = maxHeapMb === Number.POSITIVE_INFINITY ? maxHeapMb : 0;

  function lookAtHeap(time: number): void {
    const used = process.getBuiltinModule('node:v8').getHeapStatistics().used_heap_size;
    const isTooLarge = used > maxHeapMb * MEGABYTE;
    nextLook = isTooLarge ? Number.POSITIVE_INFINITY : time + INTERVAL;
    if (isTooLarge) channel.post(['heap']);
  }

  return {
    start(slot: number): void {
      const time = now();
      if (times !== undefined) floats[(slotAt(layout, slot) + START) >> 1] = time;
      if (cells !== undefined) cells.set([time, 0, 0, 0, -1], cellsOf(slot) + TAKEN);
    },
    /** Replaces the plain call of the function if step times are recorded. */
    call:
      cells &&
      ((slot: number, handler: TaskFunction, task: unknown) =>
        callMarked(cells, cellsOf(slot), handler, task)),
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
    // Nothing was awaited until now, so the event loop has not idled since the call.
    if (isThenable(result)) idleBefore = idle();
    return result;
  };
  return withEnd(call, () => {
    cells[at + RETURNED] = now();
    if (idleBefore !== undefined) cells[at + IDLE] = idle() - idleBefore;
  });
}

/** Milliseconds for which this thread's event loop has been idle. */
const idle = (): number =>
  process.getBuiltinModule('node:perf_hooks').performance.eventLoopUtilization().idle;
