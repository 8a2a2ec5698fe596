import { closeSync, openSync, readSync } from 'node:fs';
import { MOST_THREADS } from '../options.js';
import { addressIn, findSymbols, type ProcessId, type Symbols } from './symbols.js';

/** Jobs that are counted at most: the walk reads each from memory that the pool goes on changing. */
const MOST_JOBS = 4096;
const ATTEMPTS = 4;
const FOUND = -1;
const POINTER_BYTES = 8;
const NUMBER_BYTES = 4;
/** Libuv's static variables fill less than that. */
const MOST_BYTES = 4096;

export interface Counters {
  readonly size: number;
  readonly busy: number;
}

/**
 * Reads libuv's counters and queues out of the memory of a process by `/proc/PID/mem`: without the pool, without a lock, about a
 * microsecond each. A bad address is an error there and no crash.
 */
export class PoolMemory {
  /** The process's memory. */
  readonly file: number;
  readonly symbols: Symbols;
  readonly #bytes = Buffer.alloc(MOST_BYTES);

  /** Undefined where this cannot be read: not Linux, a build without symbols, a process that may not be looked into. */
  static open(pid: ProcessId = 'self'): PoolMemory | undefined {
    const symbols = process.platform === 'linux' ? findSymbols(pid) : undefined;
    if (symbols === undefined) return undefined;
    let file: number | undefined;
    try {
      file = openSync(`/proc/${pid}/mem`, 'r');
      const memory = new PoolMemory(symbols, file);
      // What has more is something else.
      if (memory.counters().size <= MOST_THREADS) return memory;
    } catch {
      // Said below.
    }
    if (file !== undefined) closeSync(file);
    return undefined;
  }

  protected constructor(symbols: Symbols, file: number) {
    this.symbols = symbols;
    this.file = file;
  }

  close(): void {
    closeSync(this.file);
  }

  /** Threads of the pool, 0 before its first job, and those of them that do not wait for one. */
  counters(): Counters {
    const { nthreads, idleThreads } = this.symbols;
    const first = Math.min(nthreads, idleThreads);
    // The linker puts them side by side, or nearly so: one read for both.
    const bytes = this.read(first, Math.abs(nthreads - idleThreads) + NUMBER_BYTES);
    const size = bytes.readUInt32LE(nthreads - first);
    return { size, busy: Math.max(0, size - bytes.readUInt32LE(idleThreads - first)) };
  }

  /** The job that came last into a queue; 0 when none waits there. */
  newest(queue: 'queue' | 'slowQueue'): number {
    const head = this.symbols[queue];
    let job = this.#pointers(head)?.previous ?? 0;
    if (job === this.symbols.marker) job = this.#pointers(job)?.previous ?? 0;
    return job === head ? 0 : job;
  }

  /** Whether a job is in a queue; true as well when `MOST_JOBS` came after it. */
  waits(queue: 'queue' | 'slowQueue', job: number): boolean {
    const behind = this.#length(this.symbols[queue], job);
    return behind === FOUND || behind === MOST_JOBS;
  }

  /** Jobs in the queue, slow I/O included; `MOST_JOBS` when there are more. */
  queued(): number {
    const { queue, slowQueue } = this.symbols;
    return Math.min(MOST_JOBS, this.#length(queue) + this.#length(slowQueue));
  }

  #length(head: number, sought = 0): number {
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      const length = this.#walk(head, sought);
      if (length !== undefined) return length;
    }
    return 0;
  }

  /**
   * From the tail to the head, where jobs are taken. One that was taken meanwhile does not point to the one that was behind it any
   * more: then all before it are gone, too. Undefined when a job was put at the tail before the first step.
   */
  #walk(head: number, sought: number): number | undefined {
    let behind = head;
    let node = this.#pointers(head)?.previous;
    // All zero before the pool's first job.
    if (node === undefined || node === 0) return 0;
    let count = 0;
    while (node !== head && count < MOST_JOBS) {
      const pointers = this.#pointers(node);
      if (pointers?.next !== behind) return behind === head ? undefined : count;
      if (node === sought) return FOUND;
      if (node !== this.symbols.marker) count++;
      behind = node;
      node = pointers.previous;
    }
    return count;
  }

  #pointers(node: number): { next: number; previous: number } | undefined {
    try {
      const bytes = this.read(node, 2 * POINTER_BYTES);
      return { next: addressIn(bytes, 0), previous: addressIn(bytes, POINTER_BYTES) };
    } catch {
      return undefined;
    }
  }

  /** Valid until the next read, unless it has bytes of its own. @throws where there is no such memory */
  protected read(address: number, length: number, bytes = this.#bytes): Buffer {
    if (readSync(this.file, bytes, 0, length, address) < length) throw new RangeError('no such memory');
    return bytes;
  }
}
