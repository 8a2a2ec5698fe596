/** A value that programs send to workers and get from them. */
export interface Shape {
  readonly name: string;
  readonly title: string;
  /** What it takes when it is copied, roughly: how many may be in flight. */
  readonly bytes: number;
  /** Its bytes are transferred, so that there is a new value for each task. */
  readonly isMoved?: true;
  /** It is made for each task, because nothing may hold it afterwards. */
  readonly isMadeAnew?: true;
  make(): unknown;
}

const KB = 2 ** 10;
const MB = 2 ** 20;

const times = <Item>(count: number, make: (index: number) => Item): Item[] =>
  Array.from({ length: count }, (_, index) => make(index));

/** 100 bytes as JSON. */
const record = (index: number) => ({
  id: 100_000 + index,
  name: `Customer ${index % 100}`,
  email: `customer-${index}@example.com`,
  balance: index * 1.25,
  active: index % 3 !== 0,
});

/** Flat, and in V8's heap, as what programs parse: one that is put together would be flattened by whoever sends it first. */
const text = (length: number, pattern: string): string =>
  JSON.parse(JSON.stringify(pattern.repeat(Math.ceil(length / pattern.length)).slice(0, length))) as string;
const LATIN = 'The quick brown fox jumps over the lazy dog; voilà, très élégant. ';
const BEYOND_LATIN = 'Ξεσκεπάζω την ψυχοφθόρα βδελυγμία, 敏捷的棕色狐狸 jumps. ';

const bytes = (length: number): Buffer => Buffer.alloc(length, 7);
/** Zeros that nobody has touched: what it costs to fill them is not the pool's. */
const untouched = (length: number): Uint8Array => new Uint8Array(length);

class Branch {
  readonly at: Date;
  readonly children: Branch[];

  constructor(
    readonly depth: number,
    readonly label: string,
  ) {
    this.at = new Date(1_700_000_000_000 + depth);
    this.children = depth === 0 ? [] : [0, 1].map((side) => new Branch(depth - 1, `${label}${side}`));
  }
}

export const SHAPES: readonly Shape[] = [
  { name: 'number', title: 'number', bytes: 8, make: () => 4711 },
  { name: 'short-text', title: 'string of 12 characters', bytes: 12, make: () => 'Grace Hopper' },
  { name: 'object', title: 'object with 3 keys', bytes: 30, make: () => ({ id: 7, name: 'Ada', ok: true }) },
  {
    name: 'nested',
    title: 'nested object with 12 values',
    bytes: 200,
    make: () => ({
      user: { id: 7, name: 'Ada Lovelace', roles: ['admin', 'author'] },
      page: { size: 20, offset: 40, sort: { by: 'created', down: true } },
      filter: { state: 'open', labels: ['bug'], since: null, total: 17.5 },
    }),
  },
  {
    name: 'numbers',
    title: 'array of 100 numbers',
    bytes: 300,
    make: () => times(100, (index) => index * 3),
  },
  { name: 'records-10kb', title: 'records, 10 KB as JSON', bytes: 10 * KB, make: () => times(100, record) },
  { name: 'records-1mb', title: 'records, 1 MB as JSON', bytes: MB, make: () => times(10_000, record) },
  { name: 'text-1kb', title: 'text of 1 KB, Latin-1', bytes: KB, make: () => text(KB, LATIN) },
  { name: 'text-1mb', title: 'text of 1 MB, Latin-1', bytes: MB, make: () => text(MB, LATIN) },
  {
    name: 'text-beyond',
    title: 'text of 1 MB in UTF-16, beyond Latin-1',
    bytes: MB,
    make: () => text(MB / 2, BEYOND_LATIN),
  },
  { name: 'buffer-1kb', title: 'Buffer of 1 KB', bytes: KB, make: () => bytes(KB) },
  { name: 'buffer-1mb', title: 'Buffer of 1 MB, copied', bytes: MB, make: () => bytes(MB) },
  { name: 'buffer-10mb', title: 'Buffer of 10 MB, copied', bytes: 10 * MB, make: () => bytes(10 * MB) },
  {
    name: 'moved-4kb',
    title: '4 KB of bytes, moved',
    bytes: 4 * KB,
    isMoved: true,
    make: () => untouched(4 * KB),
  },
  {
    name: 'moved-10mb',
    title: '10 MB of bytes, moved',
    bytes: 10 * MB,
    isMoved: true,
    make: () => untouched(10 * MB),
  },
  {
    name: 'moved-100mb',
    title: '100 MB of bytes, moved',
    bytes: 100 * MB,
    isMoved: true,
    make: () => untouched(100 * MB),
  },
  {
    name: 'doubles-typed',
    title: 'Float64Array of 100 KB',
    bytes: 100 * KB,
    make: () => Float64Array.from({ length: 12_800 }, (_, index) => index / 3),
  },
  {
    name: 'map',
    title: 'Map of 10,000, text to number',
    bytes: 150 * KB,
    make: () => new Map(times(10_000, (index) => [`key-${index}`, index])),
  },
  {
    name: 'set',
    title: 'Set of 10,000 texts',
    bytes: 120 * KB,
    make: () => new Set(times(10_000, (index) => `item-${index}`)),
  },
  {
    name: 'integers',
    title: 'array of 100,000 integers',
    bytes: 350 * KB,
    make: () => times(100_000, (index) => index * 7),
  },
  {
    name: 'doubles',
    title: 'array of 100,000 doubles',
    bytes: 900 * KB,
    make: () => times(100_000, (index) => index / 7 + 0.5),
  },
  {
    name: 'keys',
    title: 'object with 1,000 keys',
    bytes: 12 * KB,
    make: () => Object.fromEntries(times(1000, (index) => [`field${index}`, index])),
  },
  {
    name: 'dictionary',
    title: 'dictionary of 10,000 ids to objects',
    bytes: 500 * KB,
    make: () =>
      Object.fromEntries(
        times(10_000, (index) => [
          `id-${(index * 7919) % 100_003}`,
          { count: index, label: `l${index % 50}` },
        ]),
      ),
  },
  {
    name: 'strings',
    title: 'array of 10,000 strings',
    bytes: 200 * KB,
    make: () => times(10_000, (index) => `line ${index} of a file`),
  },
  {
    name: 'tree',
    title: 'tree of 1,023 class instances with Dates, and an Error',
    bytes: 60 * KB,
    make: () => ({ root: new Branch(9, ''), error: new RangeError('the tree is too deep') }),
  },
];

/** Larger than what any of the shapes leaves behind: what a pool holds on to afterwards. */
export const LARGE: readonly Shape[] = [
  {
    name: 'buffers-320mb',
    title: 'A list of 320 Buffers of 1 MB',
    bytes: 320 * MB,
    isMadeAnew: true,
    make: () => times(320, () => bytes(MB)),
  },
  {
    name: 'buffer-320mb',
    title: 'a Buffer of 320 MB',
    bytes: 320 * MB,
    isMadeAnew: true,
    make: () => bytes(320 * MB),
  },
];

/** Those that a worker can be asked for, by their places. */
export const CARRIED: readonly Shape[] = [...SHAPES, ...LARGE];

const MOST_IN_FLIGHT = 64;
const BYTES_IN_FLIGHT = 16 * MB;

/** 64, fewer where they would take more than 16 MB together, and four of what is larger. */
export const inFlightOf = ({ bytes }: Shape): number =>
  Math.max(4, Math.min(MOST_IN_FLIGHT, Math.floor(BYTES_IN_FLIGHT / bytes)));

/** How many parts or bytes a value has: what is looked at of each. */
export function sizeOf(value: unknown): number {
  if (typeof value === 'number') return 8;
  if (typeof value === 'string' || Array.isArray(value)) return value.length;
  if (ArrayBuffer.isView(value)) return value.byteLength;
  if (value instanceof Map || value instanceof Set) return value.size;
  return typeof value === 'object' && value !== null ? -1 : Number.NaN;
}
