import { openSync, writeSync } from 'node:fs';
import { MOST_THREADS } from '../options.js';
import { PoolMemory } from '../worker/pool-memory.js';
import { addressIn, findSymbols, type Symbols } from '../worker/symbols.js';
import { countByName, taskIds } from '../worker/tasks.js';

const MEMORY = '/proc/self/mem';
/** How far into what a handle points to the number of its thread is looked for: glibc has it at 720, musl at 48. */
const THREAD_BYTES = 1024;

/** libuv's variables in this process. */
export class Libuv extends PoolMemory {
  readonly isWritable: boolean;

  /** Undefined where they cannot be read. */
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

  /** What libuv is to take for the size. */
  writeSize(size: number): void {
    writeSync(this.file, new Uint32Array([size]), 0, 4, this.symbols.nthreads);
  }

  /**
   * The numbers of the pool's threads, each found as what libuv holds for it points at a thread of this process. Undefined when
   * they do not: then the variables are not where they seem to be, and nobody must write to them.
   */
  threadIds(): number[] | undefined {
    try {
      const { size } = this.counters();
      if (size < 1 || size > MOST_THREADS) return undefined;
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

/** The numbers at the first place where every one of these has the number of a thread, and no two the same. */
function commonIds(threads: readonly Buffer[]): number[] | undefined {
  const tasks = new Set(taskIds());
  for (let place = 0; place < THREAD_BYTES; place += 4) {
    const ids = threads.map((bytes) => bytes.readInt32LE(place));
    if (new Set(ids.filter((id) => tasks.has(id))).size === threads.length) return ids;
  }
  return undefined;
}

/** The pool's threads, counted in two ways where there are two; undefined when they do not agree, or nothing tells. */
export function countThreads(
  libuv: Libuv | undefined,
): { count: number; ids: number[] | undefined } | undefined {
  const ids = libuv?.threadIds();
  const named = countByName();
  if (ids !== undefined && (named === undefined || named === ids.length)) return { count: ids.length, ids };
  return named === undefined ? undefined : { count: named, ids: undefined };
}
