import type { Sample } from './messages.cjs';

const KIND = { answered: 0, failed: 1, aborted: 2, turn: 3 } as const;
type Kind = (typeof KIND)[keyof typeof KIND];

/** Of start, end, and what it is of: `4 x route + kind`. */
const FIELDS = 3;
const TURN_MS = 10;
/** At 25 ms between two readings it holds 1.3 million records a second. */
const CAPACITY = 32_768;
/** So many requests can be open at a time; what comes beside them is not measured. */
const MOST_OPEN = 16_384;

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
const ringIn = (memory: SharedArrayBuffer) => ({
  memory,
  header: new Int32Array(memory, 0, HEADER_BYTES / 4),
  turn: new Float64Array(memory, HEADER_BYTES, 1),
  open: new Float64Array(memory, HEADER_BYTES + 8, MOST_OPEN),
  records: new Float64Array(memory, HEADER_BYTES + 8 * (1 + MOST_OPEN), FIELDS * CAPACITY),
});
const RING_BYTES = HEADER_BYTES + 8 * (1 + MOST_OPEN + FIELDS * CAPACITY);

/** How many of some records are of requests, whose routes count from 1. */
function requestsIn(records: Float64Array): number {
  let count = 0;
  for (let at = 2; at < records.length; at += FIELDS) if ((records[at] as number) >= 4) count++;
  return count;
}

class RingWriter {
  readonly ring = ringIn(new SharedArrayBuffer(RING_BYTES));
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

class RingReader {
  readonly #ring: ReturnType<typeof ringIn>;
  #seen = 0;
  #lost = 0;

  constructor(memory: SharedArrayBuffer) {
    this.#ring = ringIn(memory);
  }

  read(): Pick<Sample, 'open' | 'records' | 'lost' | 'turn'> {
    const { header, open, records, turn } = this.#ring;
    const slots = Atomics.load(header, SLOTS);
    const starts: number[] = [];
    for (let slot = 0; slot < slots; slot++) if (open[slot] !== 0) starts.push(open[slot] as number);
    const head = Atomics.load(header, HEAD) >>> 0;
    const count = (head - this.#seen) >>> 0;
    const read = Math.min(count, CAPACITY);
    const found = new Float64Array(read * FIELDS);
    const from = (((head - read) >>> 0) % CAPACITY) * FIELDS;
    const toTheEnd = records.subarray(from, from + found.length);
    found.set(toTheEnd);
    found.set(records.subarray(0, found.length - toTheEnd.length), toTheEnd.length);
    this.#lost += count - read;
    this.#seen = head;
    const lost = this.#lost + Atomics.load(header, LOST);
    return { open: starts, records: found, lost, turn: turn[0] as number };
  }
}

export = { KIND, FIELDS, CAPACITY, MOST_OPEN, TURN_MS, requestsIn, RingWriter, RingReader };
