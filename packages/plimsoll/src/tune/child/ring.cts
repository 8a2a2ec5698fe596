/** What a record is of: a request by how it ended, or a turn of the event loop. */
const KIND = { answered: 0, failed: 1, aborted: 2, turn: 3 } as const;
type Kind = (typeof KIND)[keyof typeof KIND];

/** Of start, end, and what it is of: `4 x route + kind`. */
const FIELDS = 3;
/** At 25 ms between two readings it holds 1.3 million records a second. */
const CAPACITY = 32_768;
/** So many requests can be open at a time; what comes beside them is not measured. */
const MOST_OPEN = 16_384;

/** Places in the header. */
const HEAD = 0;
const SLOTS = 1;
const LOST = 2;
const HEADER_BYTES = 16;

/**
 * What the app's thread tells its agent: requests that are open, and what has ended. Times are milliseconds on the machine's
 * monotonic clock, the same in all processes.
 *
 * Invariants: one thread writes and one reads. A record is written before HEAD counts it, and HEAD counts the end of a
 * request before its slot is free: whoever reads the slots first and then the records misses no request.
 */
class Ring {
  readonly memory: SharedArrayBuffer;
  readonly header: Int32Array;
  /** When the event loop last turned. */
  readonly turn: Float64Array;
  /** When the request in each slot began; 0 in a free one. */
  readonly open: Float64Array;
  readonly records: Float64Array;

  /** @param memory of the ring that is to be read; a new one without it. */
  constructor(memory = new SharedArrayBuffer(HEADER_BYTES + 8 * (1 + MOST_OPEN + FIELDS * CAPACITY))) {
    this.memory = memory;
    this.header = new Int32Array(memory, 0, HEADER_BYTES / 4);
    this.turn = new Float64Array(memory, HEADER_BYTES, 1);
    this.open = new Float64Array(memory, HEADER_BYTES + 8, MOST_OPEN);
    this.records = new Float64Array(memory, HEADER_BYTES + 8 * (1 + MOST_OPEN), FIELDS * CAPACITY);
  }
}

/** The side of the app's thread. */
class RingWriter {
  readonly ring = new Ring();
  readonly #free: number[] = [];
  #slots = 0;
  #head = 0;

  /** @returns the slot of the request; -1 when all are taken, and it is not measured. */
  begin(start: number): number {
    const slot = this.#free.pop() ?? this.#newSlot();
    if (slot !== -1) this.ring.open[slot] = start;
    return slot;
  }

  end(slot: number, at: number, route: number, kind: Kind): void {
    this.write(this.ring.open[slot] as number, at, route, kind);
    this.ring.open[slot] = 0;
    this.#free.push(slot);
  }

  write(start: number, at: number, route: number, kind: Kind): void {
    const { records, header } = this.ring;
    const place = (this.#head % CAPACITY) * FIELDS;
    records[place] = start;
    records[place + 1] = at;
    records[place + 2] = route * 4 + kind;
    // Counts on through the sign: readers subtract.
    this.#head = (this.#head + 1) >>> 0;
    Atomics.store(header, HEAD, this.#head | 0);
  }

  #newSlot(): number {
    if (this.#slots >= MOST_OPEN) {
      Atomics.add(this.ring.header, LOST, 1);
      return -1;
    }
    Atomics.store(this.ring.header, SLOTS, this.#slots + 1);
    return this.#slots++;
  }
}

/** What a reading found. */
interface Reading {
  /** Starts of the requests that are open. */
  readonly open: number[];
  /** Start, end and kind of each that has ended since the last reading. */
  readonly records: Float64Array;
  /** Requests and records that were not seen, since the beginning. */
  readonly lost: number;
  readonly turn: number;
}

/** The side of the agent. */
class RingReader {
  readonly #ring: Ring;
  #seen = 0;
  #lost = 0;

  constructor(memory: SharedArrayBuffer) {
    this.#ring = new Ring(memory);
  }

  read(): Reading {
    const { header, open, records, turn } = this.#ring;
    const slots = Atomics.load(header, SLOTS);
    const starts: number[] = [];
    for (let slot = 0; slot < slots; slot++) if (open[slot] !== 0) starts.push(open[slot] as number);
    const head = Atomics.load(header, HEAD) >>> 0;
    const count = (head - this.#seen) >>> 0;
    const read = Math.min(count, CAPACITY);
    const found = new Float64Array(read * FIELDS);
    for (let index = 0; index < read; index++) {
      const place = ((head - read + index) >>> 0) % CAPACITY;
      for (let field = 0; field < FIELDS; field++)
        found[index * FIELDS + field] = records[place * FIELDS + field] as number;
    }
    this.#lost += count - read;
    this.#seen = head;
    return {
      open: starts,
      records: found,
      lost: this.#lost + Atomics.load(header, LOST),
      turn: turn[0] as number,
    };
  }
}

export = { KIND, FIELDS, CAPACITY, MOST_OPEN, RingWriter, RingReader };
