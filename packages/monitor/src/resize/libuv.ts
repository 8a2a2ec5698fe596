import { openSync, writeSync } from 'node:fs';
import { MAX_THREADS } from '../options.js';
import { PoolMemory } from '../worker/pool-memory.js';
import { addressIn, findSymbols, type Symbols } from '../worker/symbols.js';
import { countByName, taskIds } from '../worker/tasks.js';

const MEMORY = '/proc/self/mem';
/** The thread id is searched in this many bytes behind a handle: glibc has it at 720, musl at 48. */
const THREAD_BYTES = 1024;

/** libuv's variables in this process, and writing them. */
export class Libuv extends PoolMemory {
  readonly isWritable: boolean;

  /** Undefined if they cannot be read. */
  static find(): Libuv | undefined {
    const symbols = findSymbols();
    if (symbols === undefined) return undefined;
    for (const flags of ['r+', 'r'] as const) {
      try {
        return new Libuv(symbols, openSync(MEMORY, flags), flags === 'r+');
      } catch {}
    }
    return undefined;
  }

  private constructor(symbols: Symbols, file: number, isWritable: boolean) {
    super(symbols, file);
    this.isWritable = isWritable;
  }

  /** Writes `nthreads`. */
  writeSize(size: number): void {
    writeSync(this.file, new Uint32Array([size]), 0, 4, this.symbols.nthreads);
  }

  /**
   * The ids of the pool's threads, read through libuv's handles. Undefined if a handle points to no thread of
   * this process: the variables are then not at the expected addresses, and must not be written.
   */
  threadIds(): number[] | undefined {
    try {
      const { size } = this.counters();
      if (size < 1 || size > MAX_THREADS) return undefined;
      const array = addressIn(this.read(this.symbols.threads, 8), 0);
      const handles = this.read(array, size * 8, Buffer.alloc(size * 8));
      const threads = Array.from({ length: size }, (_, index) =>
        this.read(addressIn(handles, index * 8), THREAD_BYTES, Buffer.alloc(THREAD_BYTES)),
      );
      return commonIds(threads);
    } catch {
      return undefined;
    }
  }
}

/** The values at the first offset where each of these has a different thread id of this process. */
function commonIds(threads: readonly Buffer[]): number[] | undefined {
  const tasks = new Set(taskIds());
  for (let offset = 0; offset < THREAD_BYTES; offset += 4) {
    const ids = threads.map((bytes) => bytes.readInt32LE(offset));
    if (new Set(ids.filter((id) => tasks.has(id))).size === threads.length) return ids;
  }
  return undefined;
}

/** Counts the pool's threads by handle and by name; undefined if the counts differ, or neither exists. */
export function countThreads(
  libuv: Libuv | undefined,
): { count: number; ids: number[] | undefined } | undefined {
  const ids = libuv?.threadIds();
  const named = countByName();
  if (ids !== undefined && (named === undefined || named === ids.length)) return { count: ids.length, ids };
  return named === undefined ? undefined : { count: named, ids: undefined };
}
