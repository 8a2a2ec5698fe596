import { timers } from '../shared/timers.js';
import type { WorkerHandle } from './worker-handle.js';

/** What the pool has to tell a stream. */
export interface OpenStream {
  /** Who keeps its iterable; undefined: nobody yet. */
  readonly worker: WorkerHandle | undefined;
  /** Ends it, whatever it does. */
  fail(reason: unknown): void;
  /** There may be room for what it has to say to its worker. */
  goOn(): void;
}

/** Milliseconds after which streams look for room in a full mailbox again, if none of their tasks has ended meanwhile. */
const LOOK_AGAIN = 10;

/** The streams of a pool that have begun and not ended. */
export class OpenStreams {
  readonly #open = new Set<OpenStream>();
  /** Those that wait for room in the mailbox of their worker. */
  readonly #waiting = new Set<OpenStream>();
  #timer: NodeJS.Timeout | undefined;
  readonly #onEmpty: () => void;

  constructor(onEmpty: () => void) {
    this.#onEmpty = onEmpty;
  }

  get size(): number {
    return this.#open.size;
  }

  add(stream: OpenStream): void {
    this.#open.add(stream);
  }

  remove(stream: OpenStream): void {
    this.#waiting.delete(stream);
    if (this.#open.delete(stream) && this.#open.size === 0) this.#onEmpty();
  }

  /** It cannot go on before there is room. */
  wait(stream: OpenStream): void {
    this.#waiting.add(stream);
    this.#timer ??= timers.setTimeout(() => {
      this.#timer = undefined;
      this.goOn();
    }, LOOK_AGAIN);
  }

  /** There may be room. */
  goOn(): void {
    if (this.#waiting.size === 0) return;
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const stream of waiting) stream.goOn();
  }

  /** A worker is gone, and with it what it kept. */
  onGone(worker: WorkerHandle, reasonFor: () => unknown): void {
    for (const stream of [...this.#open]) if (stream.worker === worker) stream.fail(reasonFor());
  }

  failAll(reasonFor: () => unknown): void {
    for (const stream of [...this.#open]) stream.fail(reasonFor());
  }
}
