import { execFileSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, read, rmSync, writeSync } from 'node:fs';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { countReaders } from './activity.js';
import type { Libuv } from './libuv.js';
import { Resizer } from './resizer.js';
import type { EngineState } from './state.js';

const FOLDERS = ['/tmp', '/dev/shm', '/var/tmp'];
const MKFIFO_MS = 10_000;
const POLL_MS = 1;

/** Both ends of a FIFO whose name has been deleted. */
interface Fifo {
  /** Reads from it block in the kernel. */
  readonly reader: number;
  /**
   * Belongs to a handle of this thread. Node closes handles before it waits for the thread's jobs, so all
   * reads return, however the thread ends. Node opens files with O_CLOEXEC, so no child process inherits a
   * copy.
   */
  readonly writer: number;
}

/** @throws if no folder allows one */
export function makeFifo(tmp: string): Fifo {
  let failure: unknown;
  for (const parent of new Set([tmp, ...FOLDERS])) {
    try {
      return makeFifoIn(parent);
    } catch (error) {
      failure ??= error;
    }
  }
  throw failure;
}

function makeFifoIn(parent: string): Fifo {
  const folder = mkdtempSync(join(parent, 'plimsoll-resize-'));
  try {
    const path = join(folder, 'fifo');
    execFileSync('mkfifo', ['-m', '600', path], { stdio: 'ignore', timeout: MKFIFO_MS });
    // Without this descriptor, each of the two opens below would block until the other happens.
    const both = openSync(path, 'r+');
    try {
      const fifo = { reader: openSync(path, 'r'), writer: openSync(path, 'w') };
      new Socket({ fd: fifo.writer, readable: false, writable: true }).unref();
      return fifo;
    } finally {
      closeSync(both);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Shrinks the pool by parking threads in a read, where they use no CPU and take no jobs. */
export class Parking extends Resizer {
  readonly #fifo: Fifo;
  readonly #libuv: Libuv | undefined;
  readonly #ids: readonly number[] | undefined;
  readonly #byte = Buffer.alloc(1);
  /** Reads that have not returned, including those still in the queue. */
  #reads = 0;
  /** Reads that will return: their bytes have been written. */
  #returning = 0;
  #onReturned: (() => void) | undefined;
  #written: number;

  constructor(state: EngineState, fifo: Fifo, libuv: Libuv | undefined, ids: readonly number[] | undefined) {
    super(state);
    this.#fifo = fifo;
    this.#ids = ids;
    this.#written = state.real;
    // If libuv's variables did not lead to every thread, writing them is unsafe.
    this.#libuv = ids !== undefined && libuv?.isWritable ? libuv : undefined;
    if (this.#libuv === undefined) return;
    state.memory = { file: this.#libuv.file, address: this.#libuv.symbols.nthreads };
    state.limitsSlow = true;
  }

  protected override async add(threads: number, size: number): Promise<void> {
    this.#returning += threads;
    writeSync(this.#fifo.writer, Buffer.alloc(threads));
    this.#write(size);
    await new Promise<void>((resolve) => {
      this.#onReturned = resolve;
    });
  }

  protected override remove(threads: number): void {
    this.#reads += threads;
    for (let count = 0; count < threads; count++) this.#park();
  }

  protected override async settle(size: number, isLate: () => boolean): Promise<void> {
    this.#write(size);
    // A thread may have taken its read from the queue without having called it yet.
    while (!isLate() && !this.#areParked()) await sleep(POLL_MS);
  }

  /** True, too, if it cannot be known. */
  #areParked(): boolean {
    const parked = this.#ids && countReaders(this.#ids, this.#fifo.reader);
    return parked === undefined || parked === this.#reads - this.#returning;
  }

  #park(): void {
    read(this.#fifo.reader, this.#byte, 0, 1, null, (error) => {
      // Not every version of libuv repeats a read that a signal has interrupted.
      if (error?.code === 'EINTR') this.#park();
      else if (error !== null) throw error;
      else {
        this.#reads--;
        if (--this.#returning === 0) this.#onReturned?.();
      }
    });
  }

  /** Writes `nthreads`, from which libuv derives its slow-I/O limit. */
  #write(size: number): void {
    const libuv = this.#libuv;
    if (libuv === undefined || !this.state.limitsSlow) return;
    this.state.change(() => {
      this.state.limitsSlow = libuv.counters().size === this.#written;
      if (!this.state.limitsSlow) return;
      libuv.writeSize(size);
      this.#written = size;
    });
  }
}
