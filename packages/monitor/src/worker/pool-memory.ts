import { closeSync, openSync, readSync } from 'node:fs';
import { MAX_THREADS } from '../options.js';
import { addressIn, findSymbols, type ProcessId, type Symbols } from './symbols.js';

/** Jobs counted at most: the walk reads each from memory that the pool keeps changing. */
const MAX_JOBS = 4096;
const ATTEMPTS = 4;
const FOUND = -1;
const POINTER_BYTES = 8;
const NUMBER_BYTES = 4;
/** libuv's static variables take less. */
const MAX_BYTES = 4096;

export interface Counters {
  readonly size: number;
  readonly busy: number;
}

/**
 * Reads libuv's counters and queues from a process's memory through `/proc/PID/mem`, without the pool or a
 * lock, in about a microsecond per read. A bad address causes an error, not a crash.
 */
export class PoolMemory {
  /** The process's memory. */
  readonly file: number;
  readonly symbols: Symbols;
  readonly #bytes = Buffer.alloc(MAX_BYTES);

  /** Undefined if it cannot be read: not on Linux, in a build without symbols, without permission. */
  static open(pid: ProcessId = 'self'): PoolMemory | undefined {
    const symbols = process.platform === 'linux' ? findSymbols(pid) : undefined;
    if (symbols === undefined) return undefined;
    let file: number | undefined;
    try {
      file = openSync(`/proc/${pid}/mem`, 'r');
      const memory = new PoolMemory(symbols, file);
      // A larger number is another variable.
      if (memory.counters().size <= MAX_THREADS) return memory;
    } catch {}
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

  /** Pool threads, 0 before the first job, and those of them that are not idle. */
  counters(): Counters {
    const { nthreads, idleThreads } = this.symbols;
    const first = Math.min(nthreads, idleThreads);
    // The linker places the two close together, so one read gets both.
    const bytes = this.read(first, Math.abs(nthreads - idleThreads) + NUMBER_BYTES);
    const size = bytes.readUInt32LE(nthreads - first);
    return { size, busy: Math.max(0, size - bytes.readUInt32LE(idleThreads - first)) };
  }

  /** The last job in a queue; 0 if it is empty. */
  newest(queue: 'queue' | 'slowQueue'): number {
    const head = this.symbols[queue];
    let job = this.#pointers(head)?.previous ?? 0;
    if (job === this.symbols.marker) job = this.#pointers(job)?.previous ?? 0;
    return job === head ? 0 : job;
  }

  /** Whether a job is in a queue; true, too, if `MAX_JOBS` jobs are behind it. */
  waits(queue: 'queue' | 'slowQueue', job: number): boolean {
    const behind = this.#length(this.symbols[queue], job);
    return behind === FOUND || behind === MAX_JOBS;
  }

  /** Jobs in the queue, including slow I/O; at most `MAX_JOBS`. */
  queued(): number {
    const { queue, slowQueue } = this.symbols;
    return Math.min(MAX_JOBS, this.#length(queue) + this.#length(slowQueue));
  }

  #length(head: number, sought = 0): number {
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      const length = this.#walk(head, sought);
      if (length !== undefined) return length;
    }
    return 0;
  }

  /**
   * Walks from the tail to the head, where threads take jobs. A job taken meanwhile does not point to the one
   * behind it any more: all before it are gone, too. Undefined if a job arrived at the tail before the first
   * step.
   */
  #walk(head: number, sought: number): number | undefined {
    let behind = head;
    let node = this.#pointers(head)?.previous;
    // All zero before the pool's first job.
    if (node === undefined || node === 0) return 0;
    let count = 0;
    while (node !== head && count < MAX_JOBS) {
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

  /** The default bytes are valid until the next read. @throws if no such memory exists */
  protected read(address: number, length: number, bytes = this.#bytes): Buffer {
    if (readSync(this.file, bytes, 0, length, address) < length) throw new RangeError('no such memory');
    return bytes;
  }
}
