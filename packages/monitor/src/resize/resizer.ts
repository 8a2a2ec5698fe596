import { ResizeError } from '../errors.js';
import { fast } from '../worker/calls.js';
import { isInTime } from './deadline.js';
import type { EngineState } from './state.js';

/** A job that costs nothing: when it has come back, every job that was in the queue before it has a thread or had one. */
const canary = (): Promise<void> => new Promise((resolve) => fast(() => resolve()));

/** What both ways of resizing have in common. A size counts what is under way as if it had come to its end. */
export abstract class Resizer {
  protected readonly state: EngineState;
  #wakes = false;

  constructor(state: EngineState) {
    this.state = state;
  }

  /** Lets so many more threads serve the queue, however long the jobs run that others have; resolves when they do. */
  protected abstract add(threads: number, size: number): Promise<void>;

  /** Puts that many jobs into the queue, each of which takes its thread away from it. */
  protected abstract remove(threads: number): void;

  /** Once all of those have a thread: resolves when as many threads as that are gone, counted; or when it is too late. */
  protected abstract settle(size: number, isLate: () => boolean): Promise<void>;

  /** @throws ResizeError */
  async resize(size: number, deadline: number): Promise<void> {
    const change = size - this.state.size;
    if (change > 0) {
      await this.add(change, size);
      this.state.resized(size);
      this.#wake();
    } else if (change < 0) await this.#shrink(-change, size, deadline);
  }

  async #shrink(threads: number, size: number, deadline: number): Promise<void> {
    const before = this.state.size;
    let isLate = false;
    this.remove(threads);
    const settled = canary().then(() => this.settle(isLate ? before : size, () => isLate));
    if (await isInTime(settled, deadline)) {
      this.state.resized(size);
      return;
    }
    isLate = true;
    // The jobs cannot be called back. As many threads more make up for those that they take.
    void this.add(threads, before);
    throw new ResizeError(
      'PLIMSOLL_MONITOR_RESIZE_TIMEOUT',
      `the pool did not shrink to ${size} threads in time: jobs before that ran too long; it has ${before} again`,
    );
  }

  /** Threads without work do not look again at lookups that had to wait for the limit until there is a new job. */
  #wake(): void {
    if (this.#wakes) return;
    this.#wakes = true;
    void canary().then(() => {
      this.#wakes = false;
    });
  }
}
