import { closeSync, fstatSync, openSync, readFileSync, readSync } from 'node:fs';

/** A process id, or `self`. */
export type ProcessId = number | 'self';

/**
 * Addresses of libuv's static variables from `src/threadpool.c`, found in the executable's symbol table.
 * Official builds of Node have them; builds with libuv as a shared library do not.
 */
export interface Symbols {
  readonly nthreads: number;
  readonly idleThreads: number;
  /** Heads of the queues, `struct uv__queue { next, prev }`. */
  readonly queue: number;
  readonly slowQueue: number;
  /** The entry in the queue that represents the slow queue. */
  readonly marker: number;
  /** The pointer to the handles of the pool's threads. */
  readonly threads: number;
  /** The function that pool threads run. */
  readonly worker: number;
}

const NAMES = {
  nthreads: 'nthreads',
  idleThreads: 'idle_threads',
  queue: 'wq',
  slowQueue: 'slow_io_pending_wq',
  marker: 'run_slow_work_message',
  threads: 'threads',
  worker: 'worker',
} as const satisfies Record<keyof Symbols, string>;

const UNIT = 'threadpool.c';

// elf(5), 64 bits, little endian.
const SYMTAB = 2;
const DYNSYM = 11;
const SYMBOL_BYTES = 24;
const TYPE_FILE = 4;
const TYPE_OBJECT = 1;
const TYPE_MASK = 15;
/** An executable loaded at its own addresses; other kinds are relocated. */
const FIXED = 2;
const SECTION_BYTES = 64;
const HEADER_BYTES = 64;
/**
 * A multiple of the size of a symbol. Smaller pieces mean more calls; a few hundred make V8 optimize the code
 * behind them, which costs a process without any optimized code four megabytes.
 */
const STEP_BYTES = SYMBOL_BYTES * 32_768;
/** Pieces overlap by more bytes than any name has. */
const PIECE_BYTES = STEP_BYTES + SYMBOL_BYTES * 3;
const UNIT_BYTES = SYMBOL_BYTES * 1024;

interface Section {
  readonly type: number;
  readonly offset: number;
  readonly size: number;
  readonly link: number;
}

/** Finds the variables; undefined without /proc, symbols or a 64-bit ELF executable. */
export const findSymbols = (pid: ProcessId = 'self'): Symbols | undefined =>
  inExecutable(pid, UNIT, SYMTAB, (file, table, strings) => {
    const names = placesOf(file, strings, [...Object.values(NAMES), UNIT]);
    const units = [...names].filter(([, name]) => name === UNIT).map(([place]) => place);
    const values = eachSymbol(file, table, units, (symbol, at) =>
      typeOf(symbol) === TYPE_FILE ? valuesOfUnit(file, at, table.offset + table.size, names) : undefined,
    );
    const entries = Object.entries(NAMES).map(([key, name]) => [key, values?.get(name)] as const);
    if (entries.some(([, value]) => value === undefined)) return undefined;
    return Object.fromEntries(entries) as unknown as Symbols;
  });

/** The address of a variable that an executable shares with its libraries; undefined like `findSymbols`. */
export const findVariable = (name: string, pid: ProcessId = 'self'): number | undefined =>
  inExecutable(pid, name, DYNSYM, (file, table, strings) =>
    eachSymbol(file, table, [...placesOf(file, strings, [name]).keys()], (symbol) =>
      typeOf(symbol) === TYPE_OBJECT ? { value: addressIn(symbol, 8) } : undefined,
    ),
  )?.value;

/** Earlier results by executable and search: many processes have the same executable. */
const known = new Map<string, object | undefined>();

/** Translates the addresses that `search` finds in the executable's file into addresses of the process. */
function inExecutable<Found extends { readonly [Key in keyof Found]: number }>(
  pid: ProcessId,
  what: string,
  kind: typeof SYMTAB | typeof DYNSYM,
  search: (file: number, table: Section, strings: Section) => Found | undefined,
): Found | undefined {
  let file: number | undefined;
  try {
    file = openSync(`/proc/${pid}/exe`, 'r');
    const header = readAt(file, 0, HEADER_BYTES);
    if (header.toString('latin1', 0, 6) !== '\x7fELF\x02\x01') return undefined;
    const { dev, ino, mtimeMs } = fstatSync(file);
    const key = [what, dev, ino, mtimeMs].join();
    if (!known.has(key)) {
      const sections = sectionsOf(file, header);
      const table = sections.find(({ type }) => type === kind);
      const strings = table && sections[table.link];
      known.set(key, table && strings && search(file, table, strings));
    }
    const found = known.get(key) as Found | undefined;
    const base = header.readUInt16LE(16) === FIXED ? 0 : loadAddress(pid);
    if (found === undefined || base === 0) return found;
    return Object.fromEntries(
      Object.entries<number>(found).map(([name, value]) => [name, value + base]),
    ) as unknown as Found;
  } catch {
    return undefined;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

function sectionsOf(file: number, header: Buffer): Section[] {
  const count = header.readUInt16LE(60);
  const bytes = readAt(file, addressIn(header, 40), count * SECTION_BYTES);
  return Array.from({ length: count }, (_, index) => {
    const section = bytes.subarray(index * SECTION_BYTES);
    return {
      type: section.readUInt32LE(4),
      offset: addressIn(section, 24),
      size: addressIn(section, 32),
      link: section.readUInt32LE(40),
    };
  });
}

/** Finds names in a string table, where the linker may have stored one as the end of a longer name. */
function placesOf(file: number, strings: Section, names: readonly string[]): Map<number, string> {
  const places = new Map<number, string>();
  const needles = names.map((name) => Buffer.from(`${name}\0`, 'latin1'));
  search(file, strings, needles, (_, place, needle) => {
    places.set(place, names[needle] as string);
  });
  return places;
}

/** The first result of `pick` for symbols with one of these names; `at` is the position in the file. */
const eachSymbol = <Found>(
  file: number,
  table: Section,
  names: readonly number[],
  pick: (symbol: Buffer, at: number) => Found | undefined,
): Found | undefined =>
  search(file, table, names.map(uint32), (symbol, place) =>
    place % SYMBOL_BYTES === 0 ? pick(symbol, table.offset + place) : undefined,
  );

/**
 * Visits every position of the needles in a section, until a visit returns a value. It uses `indexOf`: V8
 * would also optimize a loop over all 300,000 symbols.
 */
function search<Found>(
  file: number,
  { offset, size }: Section,
  needles: readonly Buffer[],
  visit: (bytes: Buffer, position: number, needle: number) => Found | undefined,
): Found | undefined {
  const buffer = Buffer.alloc(PIECE_BYTES);
  for (let start = 0; start < size; start += STEP_BYTES) {
    const length = readSync(file, buffer, 0, Math.min(PIECE_BYTES, size - start), offset + start);
    const piece = buffer.subarray(0, length);
    for (const [index, needle] of needles.entries())
      for (let at = piece.indexOf(needle); at !== -1; at = piece.indexOf(needle, at + 1)) {
        const symbol = visit(piece.subarray(at), start + at, index);
        if (symbol !== undefined) return symbol;
      }
  }
  return undefined;
}

/** The symbols after that of the unit's name, `at` this position: other units have some of the names, too. */
function valuesOfUnit(
  file: number,
  at: number,
  end: number,
  names: ReadonlyMap<number, string>,
): Map<string, number> {
  const values = new Map<string, number>();
  const symbols = readAt(file, at, Math.min(UNIT_BYTES, end - at));
  for (let next = SYMBOL_BYTES; next < symbols.length; next += SYMBOL_BYTES) {
    const symbol = symbols.subarray(next);
    if (typeOf(symbol) === TYPE_FILE) break;
    const name = names.get(symbol.readUInt32LE());
    if (name !== undefined) values.set(name, addressIn(symbol, 8));
  }
  return values;
}

const typeOf = (symbol: Buffer): number => (symbol[4] as number) & TYPE_MASK;

const uint32 = (value: number): Buffer => Buffer.from(new Uint32Array([value]).buffer);

/** The address at which the executable is loaded. */
function loadAddress(pid: ProcessId): number {
  const [line = ''] = readFileSync(`/proc/${pid}/maps`, 'latin1').split('\n');
  return Number.parseInt(line, 16);
}

function readAt(file: number, position: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  return bytes.subarray(0, readSync(file, bytes, 0, length, position));
}

/** Reads a user-space address, which has 47 bits (at most 56). */
export const addressIn = (bytes: Buffer, at: number): number =>
  bytes.readUInt32LE(at) + bytes.readUInt32LE(at + 4) * 2 ** 32;
