import { HISTOGRAM_BYTES, Histogram } from './histogram.js';

/** What one worker has measured of its tasks, in memory that the host reads: its host has enough to do. */
export class Times {
  /** From the start of a task's function to its end. */
  readonly run: Histogram;
  /** From `run()` to the start of the task's function. */
  readonly wait: Histogram;
  readonly buffer: SharedArrayBuffer;

  /** New ones, or those that another thread made. */
  constructor(buffer = new SharedArrayBuffer(2 * HISTOGRAM_BYTES)) {
    this.buffer = buffer;
    this.run = new Histogram(new Float64Array(buffer, 0, HISTOGRAM_BYTES / 8));
    this.wait = new Histogram(new Float64Array(buffer, HISTOGRAM_BYTES));
  }
}
