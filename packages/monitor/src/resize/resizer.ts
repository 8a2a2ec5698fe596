import { ResizeError } from '../errors.js';
import { fast } from '../worker/calls.js';
import { isInTime } from './deadline.js';
import type { EngineState } from './state.js';

/** A job without work. Once it returns, every job that was ahead of it in the queue has been started. */
const canary = (): Promise<void> => new Promise((resolve) => fast(() => resolve()));

/** The common part of both methods of resizing. A size counts changes under way as completed. */
export abstract class Resizer {
  protected readonly state: EngineState;
  #isWaking = false;

  constructor(state: EngineState) {
    this.state = state;
  }

  /** Resolves once this many more threads serve the queue; must not wait for running jobs. */
  protected abstract add(threads: number, size: number): Promise<void>;

  /** Queues this many jobs, each of which takes its thread out of service. */
  protected abstract remove(threads: number): void;

  /** Called once these jobs have their threads; resolves once those are gone, counted, or when `isLate`. */
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
    // The queued jobs cannot be cancelled, so add as many threads as they take.
    void this.add(threads, before);
    throw new ResizeError(
      'PLIMSOLL_MONITOR_RESIZE_TIMEOUT',
      `the pool did not shrink to ${size} threads in time, because earlier jobs ran too long; it has ${before} again`,
    );
  }

  /** Idle threads notice lookups that waited for the old limit only when a new job arrives. */
  #wake(): void {
    if (this.#isWaking) return;
    this.#isWaking = true;
    void canary().then(() => {
      this.#isWaking = false;
    });
  }
}
