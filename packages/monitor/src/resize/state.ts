/** The channel that the threads of a process talk over, and the key under which its main thread keeps the engine. */
export const NAME = '@plimsoll/monitor:resize';

/** How the pool is resized: by threads that start and end, or by threads that wait in a read. */
export type Engine = 'threads' | 'parking';

/** How many threads libuv gives to lookups. */
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
const LOOK_MS = 20;
/** Longer than any change of the pool takes. */
const LOOKS = 250;

/** What the engine's thread and all others of the process know without a message. */
export class EngineState {
  readonly buffer: SharedArrayBuffer;
  readonly #cells: Int32Array;
  readonly #address: Float64Array;

  constructor(buffer = new SharedArrayBuffer(CELLS * 4 + 8)) {
    this.buffer = buffer;
    this.#cells = new Int32Array(buffer, 0, CELLS);
    this.#address = new Float64Array(buffer, CELLS * 4, 1);
  }

  /** Threads that there are. 0: not known yet. */
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

  /** How often the pool became larger and smaller. */
  get resizes(): Readonly<Record<'grow' | 'shrink', number>> {
    return { grow: Atomics.load(this.#cells, GROWS), shrink: Atomics.load(this.#cells, SHRINKS) };
  }

  /** Threads that a rescue found blocked when it last looked; undefined without one. */
  get blocked(): number | undefined {
    const above = Atomics.load(this.#cells, BLOCKED);
    return above === 0 ? undefined : above - 1;
  }

  set blocked(threads: number | undefined) {
    Atomics.store(this.#cells, BLOCKED, threads === undefined ? 0 : threads + 1);
  }

  /** The pool serves with so many threads from now on. */
  resized(threads: number): void {
    Atomics.add(this.#cells, threads > this.size ? GROWS : SHRINKS, 1);
    this.size = threads;
  }

  /** False: not known yet, or nothing can resize the pool. */
  get engine(): Engine | false {
    return ENGINES[Atomics.load(this.#cells, ENGINE)] ?? false;
  }

  set engine(engine: Engine | false) {
    Atomics.store(this.#cells, ENGINE, ENGINES.indexOf(engine));
  }

  /** Whether libuv's limit of slow I/O follows the size. */
  get limitsSlow(): boolean {
    return Atomics.load(this.#cells, WRITES) === 1;
  }

  set limitsSlow(writes: boolean) {
    Atomics.store(this.#cells, WRITES, writes ? 1 : 0);
  }

  /** What puts libuv's `nthreads` back at exit: the file of the process's memory, and the place in it. */
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

  /** Changes libuv's variables while the process cannot exit; not when it is already about to. */
  change(work: () => void): void {
    if (!this.#lock()) return;
    try {
      if (!this.isClosed) work();
    } finally {
      Atomics.store(this.#cells, LOCK, 0);
      Atomics.notify(this.#cells, LOCK);
    }
  }

  /** No changes from now on, and none under way: the process exits. */
  close(): void {
    if (Atomics.exchange(this.#cells, CLOSED, 1) === 0) this.#lock();
  }

  #lock(): boolean {
    for (let look = 0; look < LOOKS; look++) {
      if (Atomics.compareExchange(this.#cells, LOCK, 0, 1) === 0) return true;
      Atomics.wait(this.#cells, LOCK, 1, LOOK_MS);
    }
    return false;
  }
}
