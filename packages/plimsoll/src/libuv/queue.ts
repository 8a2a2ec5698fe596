import { Fifo } from '../collections/fifo.js';
import { slowJobLimit } from './pool-size.js';

const MARKER = -1;

/**
 * The queue of libuv's pool by its own rules (threadpool.c, `post` and `worker`): one queue for everything; slow I/O waits in
 * a second one, and a single marker in the first stands for all of it. A thread that finds the marker takes ONE slow job, and
 * the marker goes to the tail again, so that with a backlog slow jobs are served one for each pass of the queue. Of slow jobs
 * at most (size + 1) / 2 run at a time.
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

  /** Submit a job. @returns whether libuv signals an idle thread for it. */
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

  /** The job that a thread takes now; -1 when there is none for it and it goes to sleep. */
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

  /** After a slow job was taken: whether more of them wait, for which libuv signals another idle thread. */
  get hasSlowWaiting(): boolean {
    return this.#hasMarker;
  }

  /** A slow job has ended. */
  slowEnded(): void {
    this.#slowRunning--;
  }

  #pushMarker(): void {
    this.#queue.push(MARKER);
    this.#hasMarker = true;
  }
}
