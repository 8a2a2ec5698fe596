import type { RequestRow, RequestsLine } from './lines.cjs';

const KINDS = ['http', 'http2', 'mark', 'span'] as const;
const ENDS = ['answered', 'failed', 'aborted', 'upgraded', 'unfinished'] as const;

type Kind = (typeof KINDS)[number];
type End = (typeof ENDS)[number];

/** So many requests of a thread are recorded: 3 MB, of which the system gives only the pages that are written to. */
const CAPACITY = 100_000;

const HEADER_BYTES = 8;
/** In the header: how many have begun, and how many came when the table was full. */
const BEGUN = 0;
const DROPPED = 1;

/** A request that has begun is open until its state is the place of its end plus one. */
const OPEN = 255;

const BYTES_EACH = 8 + 8 + 4 + 2 + 1 + 1 + 1;

/**
 * The requests of a thread, in memory that its recorder shares: a row is a request, so the thread that is recorded only
 * writes numbers, and nothing is lost when it is stopped.
 *
 * Invariants: one thread writes and one reads. The fields of arrival are written before BEGUN counts the row, and those of
 * the end before its state says so, both by atomic stores; nothing of a row is written after its end.
 */
class RequestTable {
  readonly memory: SharedArrayBuffer;
  readonly #header: Int32Array;
  readonly #starts: Float64Array;
  readonly #ends: Float64Array;
  readonly #connections: Int32Array;
  readonly #routes: Uint16Array;
  readonly #kinds: Uint8Array;
  readonly #sampled: Uint8Array;
  readonly #states: Uint8Array;

  /** @param memory of the table that is to be read; a new one without it. */
  constructor(memory = new SharedArrayBuffer(HEADER_BYTES + CAPACITY * BYTES_EACH)) {
    this.memory = memory;
    let offset = 0;
    const next = (bytes: number): number => {
      const at = offset;
      offset += bytes;
      return at;
    };
    this.#header = new Int32Array(memory, next(HEADER_BYTES), 2);
    this.#starts = new Float64Array(memory, next(8 * CAPACITY), CAPACITY);
    this.#ends = new Float64Array(memory, next(8 * CAPACITY), CAPACITY);
    this.#connections = new Int32Array(memory, next(4 * CAPACITY), CAPACITY);
    this.#routes = new Uint16Array(memory, next(2 * CAPACITY), CAPACITY);
    this.#kinds = new Uint8Array(memory, next(CAPACITY), CAPACITY);
    this.#sampled = new Uint8Array(memory, next(CAPACITY), CAPACITY);
    this.#states = new Uint8Array(memory, next(CAPACITY), CAPACITY);
  }

  /** A request that arrived: its number, or 0 when no more are recorded. */
  begin(kind: Kind, connection: number, isSampled: boolean, start: number): number {
    const row = this.#header[BEGUN] ?? 0;
    if (row >= CAPACITY) {
      Atomics.add(this.#header, DROPPED, 1);
      return 0;
    }
    this.#kinds[row] = KINDS.indexOf(kind);
    this.#connections[row] = connection;
    this.#sampled[row] = isSampled ? 1 : 0;
    this.#starts[row] = start;
    this.#states[row] = OPEN;
    Atomics.store(this.#header, BEGUN, row + 1);
    return row + 1;
  }

  /** A request that had begun as something else turns out to be one over HTTP. */
  becomes(number: number, kind: Kind, connection: number, start: number): void {
    this.#kinds[number - 1] = KINDS.indexOf(kind);
    this.#connections[number - 1] = connection;
    this.#starts[number - 1] = start;
  }

  /** The rest of a request is not recorded. */
  leave(number: number): void {
    this.#sampled[number - 1] = 0;
  }

  /** The route of a request that goes on, as far as it is known. */
  name(number: number, route: number): void {
    this.#routes[number - 1] = route;
  }

  end(number: number, end: End, at: number, route: number): void {
    this.#ends[number - 1] = at;
    this.#routes[number - 1] = route;
    Atomics.store(this.#states, number - 1, ENDS.indexOf(end) + 1);
  }

  begun(): number {
    return Atomics.load(this.#header, BEGUN);
  }

  dropped(): number {
    return Atomics.load(this.#header, DROPPED);
  }

  row(number: number): RequestRow {
    const row = number - 1;
    const state = Atomics.load(this.#states, row);
    const hasEnded = state !== OPEN;
    return [
      number,
      this.#kinds[row] ?? 0,
      this.#connections[row] ?? 0,
      this.#sampled[row] === 1 ? 1 : 0,
      Math.round(this.#starts[row] ?? 0),
      hasEnded ? state - 1 : ENDS.indexOf('unfinished'),
      hasEnded ? Math.round(this.#ends[row] ?? 0) : 0,
      this.#routes[row] ?? 0,
    ];
  }
}

const UNFINISHED = ENDS.indexOf('unfinished');

/** Reads what is new in a table. */
class RequestReader {
  readonly #table: RequestTable;
  readonly #thread: number;
  #seen = 0;
  #dropped = 0;
  readonly #open = new Set<number>();

  constructor(table: RequestTable, thread: number) {
    this.#table = table;
    this.#thread = thread;
  }

  /**
   * Requests that have begun or ended since it was last asked; `null` when there are none.
   *
   * @param isLast those that go on are read once more, since their routes may be known by now.
   */
  read(isLast = false): RequestsLine | null {
    const rows: RequestRow[] = [];
    for (const number of this.#open) {
      const row = this.#table.row(number);
      if (row[5] === UNFINISHED && !isLast) continue;
      this.#open.delete(number);
      rows.push(row);
    }
    for (const begun = this.#table.begun(); this.#seen < begun; ) {
      const row = this.#table.row(++this.#seen);
      if (row[5] === UNFINISHED) this.#open.add(row[0]);
      rows.push(row);
    }
    const dropped = this.#table.dropped();
    if (rows.length === 0 && dropped === this.#dropped) return null;
    this.#dropped = dropped;
    return { type: 'requests', thread: this.#thread, rows, dropped };
  }
}

export = { KINDS, ENDS, CAPACITY, RequestTable, RequestReader };
