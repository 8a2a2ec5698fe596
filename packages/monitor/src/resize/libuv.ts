import { openSync, readdirSync, readFileSync, readSync, writeSync } from 'node:fs';
import { MOST_THREADS } from '../options.js';
import { countByName } from '../worker/pool-names.js';
import { findSymbols, type Symbols } from '../worker/symbols.js';

const TASKS = '/proc/self/task';
const MEMORY = '/proc/self/mem';
/** How far into what a handle points to the number of its thread is looked for: glibc has it at 720, musl at 48. */
const THREAD_BYTES = 1024;

/** libuv's variables in this process. */
export class Libuv {
  readonly symbols: Symbols;
  /** Of the process's memory. */
  readonly file: number;
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
    this.symbols = symbols;
    this.file = file;
    this.isWritable = isWritable;
  }

  /** What libuv takes for the size, 0 before the first job. */
  get nthreads(): number {
    return this.#read(this.symbols.nthreads, 4).readUInt32LE();
  }

  set nthreads(size: number) {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32LE(size);
    writeSync(this.file, bytes, 0, 4, this.symbols.nthreads);
  }

  /**
   * The numbers of the pool's threads, each found as what libuv holds for it points at a thread of this process. Undefined when
   * they do not: then the variables are not where they seem to be, and nobody must write to them.
   */
  threadIds(): number[] | undefined {
    try {
      const size = this.nthreads;
      if (size < 1 || size > MOST_THREADS) return undefined;
      const array = Number(this.#read(this.symbols.threads, 8).readBigUInt64LE());
      const handles = this.#read(array, size * 8);
      const threads = Array.from({ length: size }, (_, index) =>
        this.#read(Number(handles.readBigUInt64LE(index * 8)), THREAD_BYTES),
      );
      return commonIds(threads);
    } catch {
      return undefined;
    }
  }

  #read(address: number, length: number): Buffer {
    const bytes = Buffer.alloc(length);
    if (readSync(this.file, bytes, 0, length, address) < length) throw new RangeError('no such memory');
    return bytes;
  }
}

/** The numbers at the first place where every one of these has the number of a thread, and no two the same. */
function commonIds(threads: readonly Buffer[]): number[] | undefined {
  const tasks = new Set(readdirSync(TASKS).map(Number));
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

/** The number of read(2). */
const READ = new Map([
  ['x64', '0'],
  ['arm64', '63'],
]).get(process.arch);

/** How many of these threads wait in a read of a file; undefined where the kernel does not tell. */
export function countReaders(ids: readonly number[], file: number): number | undefined {
  if (READ === undefined) return undefined;
  try {
    return ids.filter((id) => isReading(id, file)).length;
  } catch {
    return undefined;
  }
}

/** proc(5) says the number of the system call first, and then its arguments. */
function isReading(id: number, file: number): boolean {
  const [call, first] = readFileSync(`${TASKS}/${id}/syscall`, 'latin1').split(' ');
  return call === READ && first === `0x${file.toString(16)}`;
}
