import { Fifo } from '../collections/fifo.js';
import { slowJobLimit } from './pool-size.js';

const MARKER = -1;

/**
 * libuv's pool queue (threadpool.c, `post` and `worker`). Slow I/O waits in a second queue, for which a single marker stands in the
 * first. A thread that finds the marker takes ONE slow job, and the marker returns to the tail, so that a backlog of slow jobs is
 * served one for each pass of the queue. At most (size + 1) / 2 slow jobs run at a time.
 */
export class PoolQueue {
  readonly #queue = new Fifo();
  readonly #slow = new Fifo();
  readonly #mostSlow: number;
  #hasMarker = false;
  #slowRunning = 0;

  constructor(size: number) {
    this.#mostSlow = slowJobLimit(size);
  }

  /** @returns whether libuv signals an idle thread. */
  submit(job: number, isSlow: boolean): boolean {
    if (!isSlow) {
      this.#queue.push(job);
      return true;
    }
    this.#slow.push(job);
    if (this.#hasMarker) return false;
    this.#pushMarker();
    return true;
  }

  /** The job that a thread takes now; -1 when it finds none and goes to sleep. */
  take(): number {
    const queue = this.#queue;
    for (;;) {
      if (queue.size === 0) return -1;
      const isFull = this.#slowRunning >= this.#mostSlow;
      if (queue.size === 1 && queue.first === MARKER && isFull) return -1;
      const job = queue.shift();
      if (job !== MARKER) return job;
      if (isFull) {
        queue.push(MARKER);
        continue;
      }
      this.#hasMarker = false;
      this.#slowRunning++;
      const slow = this.#slow.shift();
      if (this.#slow.size > 0) this.#pushMarker();
      return slow;
    }
  }

  /** Whether slow jobs remain after one was taken; libuv then signals another idle thread. */
  get hasSlowWaiting(): boolean {
    return this.#hasMarker;
  }

  slowEnded(): void {
    this.#slowRunning--;
  }

  #pushMarker(): void {
    this.#queue.push(MARKER);
    this.#hasMarker = true;
  }
}
