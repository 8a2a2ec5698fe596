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
const LOOK_MS = 1;

/** Both ends of a FIFO that has no name any more. */
interface Fifo {
  /** Reads of it wait in the kernel. */
  readonly reader: number;
  /**
   * Of a handle of this thread, which Node closes before it waits for the thread's jobs: all reads return then, however the thread
   * ends. No copy goes to child processes, since Node opens files so.
   */
  readonly writer: number;
}

/** @throws where none can be made */
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
    // Each of the two others would wait for its counterpart without this one.
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

/** Smaller by threads that wait in a read, without any CPU time, and have no part in the queue meanwhile. */
export class Parking extends Resizer {
  readonly #fifo: Fifo;
  readonly #libuv: Libuv | undefined;
  readonly #ids: readonly number[] | undefined;
  readonly #byte = Buffer.alloc(1);
  /** Reads that have not come back, those that have no thread yet included. */
  #reads = 0;
  /** How many of them will: their bytes have been written. */
  #returning = 0;
  #onReturned: (() => void) | undefined;
  #written: number;

  constructor(state: EngineState, fifo: Fifo, libuv: Libuv | undefined, ids: readonly number[] | undefined) {
    super(state);
    this.#fifo = fifo;
    this.#ids = ids;
    this.#written = state.real;
    // Whoever has not found every thread through libuv's variables must not write to them.
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
    // A thread that has taken its read from the queue may be just about to call it.
    while (!isLate() && !this.#areParked()) await sleep(LOOK_MS);
  }

  /** True as well where nothing tells. */
  #areParked(): boolean {
    const parked = this.#ids && countReaders(this.#ids, this.#fifo.reader);
    return parked === undefined || parked === this.#reads - this.#returning;
  }

  #park(): void {
    read(this.#fifo.reader, this.#byte, 0, 1, null, (error) => {
      // libuv calls a read again that a signal has interrupted, but not on every version.
      if (error?.code === 'EINTR') this.#park();
      else if (error !== null) throw error;
      else {
        this.#reads--;
        if (--this.#returning === 0) this.#onReturned?.();
      }
    });
  }

  /** Libuv's limit of slow I/O is that of its `nthreads`. */
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
