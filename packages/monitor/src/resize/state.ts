/** The channel between the threads of a process, and the key of the engine's state on `process`. */
export const NAME = '@plimsoll/monitor:resize';

/** The method of resizing: starting and ending threads, or parking them in a read. */
export type Engine = 'threads' | 'parking';

/** How many threads libuv lets lookups use. */
export const slowLimit = (size: number): number => (size + 1) >> 1;

const LOCK = 0;
const CLOSED = 1;
const REAL = 2;
const SIZE = 3;
const ENGINE = 4;
const WRITES = 5;
const FILE = 6;
const GROWS = 7;
const SHRINKS = 8;
const BLOCKED = 9;
const CELLS = 10;

const ENGINES: readonly (Engine | false)[] = [false, 'threads', 'parking'];
const LOCK_MS = 20;
/** Longer in total than any change of the pool takes. */
const LOCK_ATTEMPTS = 250;

/** Memory shared by the engine and all threads of the process. */
export class EngineState {
  readonly buffer: SharedArrayBuffer;
  readonly #cells: Int32Array;
  readonly #address: Float64Array;

  constructor(buffer = new SharedArrayBuffer(CELLS * 4 + 8)) {
    this.buffer = buffer;
    this.#cells = new Int32Array(buffer, 0, CELLS);
    this.#address = new Float64Array(buffer, CELLS * 4, 1);
  }

  /** Existing pool threads, parked ones included. 0: not known yet. */
  get real(): number {
    return Atomics.load(this.#cells, REAL);
  }

  set real(threads: number) {
    Atomics.store(this.#cells, REAL, threads);
  }

  /** Threads that serve the queue. 0: not known yet. */
  get size(): number {
    return Atomics.load(this.#cells, SIZE);
  }

  set size(threads: number) {
    Atomics.store(this.#cells, SIZE, threads);
  }

  /** How often the pool grew and shrank. */
  get resizes(): Readonly<Record<'grow' | 'shrink', number>> {
    return { grow: Atomics.load(this.#cells, GROWS), shrink: Atomics.load(this.#cells, SHRINKS) };
  }

  /** Threads that the rescue found blocked at its last look; undefined without a rescue. */
  get blocked(): number | undefined {
    const plusOne = Atomics.load(this.#cells, BLOCKED);
    return plusOne === 0 ? undefined : plusOne - 1;
  }

  set blocked(threads: number | undefined) {
    Atomics.store(this.#cells, BLOCKED, threads === undefined ? 0 : threads + 1);
  }

  /** Sets the size after a resize, and counts the resize. */
  resized(threads: number): void {
    Atomics.add(this.#cells, threads > this.size ? GROWS : SHRINKS, 1);
    this.size = threads;
  }

  /** False: not known yet, or the pool cannot be resized. */
  get engine(): Engine | false {
    return ENGINES[Atomics.load(this.#cells, ENGINE)] ?? false;
  }

  set engine(engine: Engine | false) {
    Atomics.store(this.#cells, ENGINE, ENGINES.indexOf(engine));
  }

  /** Whether libuv's slow-I/O limit follows the size. */
  get limitsSlow(): boolean {
    return Atomics.load(this.#cells, WRITES) === 1;
  }

  set limitsSlow(writes: boolean) {
    Atomics.store(this.#cells, WRITES, writes ? 1 : 0);
  }

  /** Where to restore libuv's `nthreads` at exit: the file of the process's memory, and the address. */
  get memory(): { readonly file: number; readonly address: number } | undefined {
    const file = Atomics.load(this.#cells, FILE);
    return file === 0 ? undefined : { file, address: this.#address[0] as number };
  }

  set memory({ file, address }: { file: number; address: number }) {
    this.#address[0] = address;
    Atomics.store(this.#cells, FILE, file);
  }

  get isClosed(): boolean {
    return Atomics.load(this.#cells, CLOSED) === 1;
  }

  /** Lets `work` change libuv's variables while the process cannot exit; skips it once the exit has begun. */
  change(work: () => void): void {
    if (!this.#lock()) return;
    try {
      if (!this.isClosed) work();
    } finally {
      Atomics.store(this.#cells, LOCK, 0);
      Atomics.notify(this.#cells, LOCK);
    }
  }

  /** Called at exit: waits for a change under way, and prevents further ones. */
  close(): void {
    if (Atomics.exchange(this.#cells, CLOSED, 1) === 0) this.#lock();
  }

  #lock(): boolean {
    for (let attempt = 0; attempt < LOCK_ATTEMPTS; attempt++) {
      if (Atomics.compareExchange(this.#cells, LOCK, 0, 1) === 0) return true;
      Atomics.wait(this.#cells, LOCK, 1, LOCK_MS);
    }
    return false;
  }
}
