import { BUCKETS } from './buckets.js';

/** Canaries out at a time, at most; `worker/prober.ts` keeps far below. */
export const SLOTS = 512;

/** The period of `threadPool.utilization`. */
export const WINDOW_SECONDS = 10;
/** More than the window, so that the second being written is never read. */
const SECONDS = 16;

const BYTES = Float64Array.BYTES_PER_ELEMENT;

/** Readings that the Worker may disturb before a reader takes one as it is. */
const READINGS = 8;

/** The waits of one class. Only the Worker writes. */
export class Waits {
  /** Canaries by wait bucket, each counted with its weight. */
  readonly counts: Float64Array;
  /** When the canary of each slot was submitted, in nanoseconds; 0: the slot is free. */
  readonly sentAt: Float64Array;
  /** How many canaries that of each slot counts for. */
  readonly weights: Float64Array;

  /** Odd while a canary moves from its slot to its bucket. */
  readonly #moves: Int32Array;

  static readonly LENGTH = BUCKETS + 2 * SLOTS + 1;

  constructor(buffer: SharedArrayBuffer, offset: number) {
    this.counts = new Float64Array(buffer, offset, BUCKETS);
    this.sentAt = new Float64Array(buffer, offset + BUCKETS * BYTES, SLOTS);
    this.weights = new Float64Array(buffer, offset + (BUCKETS + SLOTS) * BYTES, SLOTS);
    this.#moves = new Int32Array(buffer, offset + (BUCKETS + 2 * SLOTS) * BYTES, 1);
  }

  /** A canary has returned: counts it and frees its slot. */
  count(slot: number, bucket: number): void {
    Atomics.add(this.#moves, 0, 1);
    this.counts[bucket] = (this.counts[bucket] as number) + (this.weights[slot] as number);
    this.sentAt[slot] = 0;
    Atomics.add(this.#moves, 0, 1);
  }

  /** Reads slots and buckets at one moment: again if a canary moved, which would be in both or in neither. */
  atOnce<Value>(read: () => Value): Value {
    for (let reading = 1; ; reading++) {
      const before = Atomics.load(this.#moves, 0);
      const value = read();
      if (reading === READINGS || (before % 2 === 0 && Atomics.load(this.#moves, 0) === before)) return value;
    }
  }

  /** Visits each canary that is out, with its submission time. */
  eachOut(visit: (sentAt: number, weight: number) => void): void {
    for (let slot = 0; slot < SLOTS; slot++) {
      const sentAt = this.sentAt[slot] as number;
      if (sentAt !== 0) visit(sentAt, this.weights[slot] as number);
    }
  }
}

const SIZE = 0;
const BUSY = 1;
const QUEUED = 2;
const NOW_CELLS = 3;
/** For each second: its number, and the sums of busy threads and of all threads over its samples. */
const SECOND_CELLS = 3;

/** The pool's state at the Worker's last sample. NaN: unknown. */
export class PoolState {
  readonly #cells: Float64Array;

  static readonly LENGTH = NOW_CELLS + SECONDS * SECOND_CELLS;

  constructor(buffer: SharedArrayBuffer, offset: number) {
    this.#cells = new Float64Array(buffer, offset, PoolState.LENGTH);
  }

  /** Call it once, after creating the memory. */
  clear(): void {
    this.#cells.fill(Number.NaN, 0, NOW_CELLS);
    this.#cells.fill(-1, NOW_CELLS);
  }

  get size(): number {
    return this.#cells[SIZE] as number;
  }

  set size(threads: number) {
    this.#cells[SIZE] = threads;
  }

  get busy(): number {
    return this.#cells[BUSY] as number;
  }

  get queued(): number {
    return this.#cells[QUEUED] as number;
  }

  set queued(jobs: number) {
    this.#cells[QUEUED] = jobs;
  }

  /** Records the busy threads at a random time; the sample counts `weight` times. */
  sample(now: number, size: number, busy: number, weight: number): void {
    this.size = size;
    this.#cells[BUSY] = busy;
    const second = Math.floor(now / 1e9);
    const place = NOW_CELLS + (second % SECONDS) * SECOND_CELLS;
    if (this.#cells[place] !== second) {
      this.#cells.fill(0, place + 1, place + SECOND_CELLS);
      this.#cells[place] = second;
    }
    this.#cells[place + 1] = (this.#cells[place + 1] as number) + busy * weight;
    this.#cells[place + 2] = (this.#cells[place + 2] as number) + size * weight;
  }

  /** Busy threads divided by all threads, over the window's samples; NaN without any. */
  utilization(now: number): number {
    const last = Math.floor(now / 1e9);
    let busy = 0;
    let size = 0;
    for (let place = NOW_CELLS; place < PoolState.LENGTH; place += SECOND_CELLS) {
      const second = this.#cells[place] as number;
      if (second < 0 || second <= last - WINDOW_SECONDS || second > last) continue;
      busy += this.#cells[place + 1] as number;
      size += this.#cells[place + 2] as number;
    }
    return busy / size;
  }
}

/** Memory shared by the Worker and its host. */
export class Memory {
  readonly buffer: SharedArrayBuffer;
  readonly fast: Waits;
  readonly slow: Waits;
  readonly pool: PoolState;

  /** Creates new memory, or wraps another thread's. */
  constructor(buffer?: SharedArrayBuffer) {
    this.buffer = buffer ?? new SharedArrayBuffer((2 * Waits.LENGTH + PoolState.LENGTH) * BYTES);
    this.fast = new Waits(this.buffer, 0);
    this.slow = new Waits(this.buffer, Waits.LENGTH * BYTES);
    this.pool = new PoolState(this.buffer, 2 * Waits.LENGTH * BYTES);
    if (buffer === undefined) this.pool.clear();
  }
}
