import record = require('./record.cjs');

const { FIELDS, RECORD } = record;

/** So many records lie between one reading and the next, at most: 3 MB, a second of a busy file server. */
const CAPACITY = 65_536;

/**
 * In the header: records written, records read, records without room, whether nobody reads any more, jobs so far of which trace
 * events tell, what may have given the pool jobs that are not among these, whether anything is recorded now, and whether trace events are.
 */
const WRITTEN = 0;
const READ = 1;
const LOST = 2;
const CLOSED = 3;
const TRACED = 4;
const UNCOUNTED = 5;
const RECORDING = 6;
const EVENTS = 7;
const HEADER_BYTES = 32;

/**
 * What a thread tells of its calls, in memory that its recorder shares.
 *
 * Invariants: one thread writes and one reads. A record is written before WRITTEN counts it, by an atomic store, and read
 * before READ counts it. The last record that was put is counted only with the next, since its name may not be known yet, or
 * by `publish`. Counts wrap round at 2^32; CAPACITY is a power of two.
 */
class CallRing {
  readonly memory: SharedArrayBuffer;
  readonly #header: Int32Array;
  readonly #records: Float64Array;
  #written = 0;
  /** As far as READ was known when it was last looked at. */
  #read = 0;
  /** Where the last record is, so that a field of it can be set. */
  #last = -1;

  /** @param memory of the ring that is to be read; a new one without it. */
  constructor(memory = new SharedArrayBuffer(HEADER_BYTES + CAPACITY * FIELDS * 8)) {
    this.memory = memory;
    this.#header = new Int32Array(memory, 0, HEADER_BYTES / 4);
    this.#records = new Float64Array(memory, HEADER_BYTES);
  }

  /** Write a record; it is counted as lost where there is no room. */
  put(type: number, at: number, a: number, b: number, c: number, d: number): void {
    this.publish();
    if (this.#written - this.#read >= CAPACITY && !this.#hasRoom()) {
      Atomics.add(this.#header, LOST, 1);
      this.#last = -1;
      return;
    }
    const offset = (this.#written % CAPACITY) * FIELDS;
    const records = this.#records;
    records[offset] = type;
    records[offset + 1] = at;
    records[offset + 2] = a;
    records[offset + 3] = b;
    records[offset + 4] = c;
    records[offset + 5] = d;
    this.#last = offset;
    this.#written++;
  }

  /** Set the kind of the last record, if that is of this job. */
  setKind(job: number, kind: number): void {
    const at = this.#last;
    const records = this.#records;
    if (at >= 0 && records[at] === RECORD.job && records[at + 2] === job) records[at + 3] = kind;
  }

  publish(): void {
    Atomics.store(this.#header, WRITTEN, this.#written | 0);
  }

  /** One job more of which trace events tell. */
  countTraced(): void {
    Atomics.add(this.#header, TRACED, 1);
  }

  /** Something more, or less with -1, whose jobs are not counted. */
  countUncounted(change: number): void {
    Atomics.add(this.#header, UNCOUNTED, change);
  }

  /** Jobs so far of which trace events tell; wraps round at 2^32. */
  get traced(): number {
    return Atomics.load(this.#header, TRACED);
  }

  get uncounted(): number {
    return Atomics.load(this.#header, UNCOUNTED);
  }

  /** Whether something is recorded, and so trace events are wanted. Set by the thread that writes. */
  get isRecording(): boolean {
    return Atomics.load(this.#header, RECORDING) === 0;
  }

  setRecording(isRecording: boolean): void {
    Atomics.store(this.#header, RECORDING, isRecording ? 0 : 1);
  }

  /** Whether trace events are recorded, or cannot be. Set by the recorder. */
  get isTraced(): boolean {
    return Atomics.load(this.#header, EVENTS) === 0;
  }

  setTraced(isTraced: boolean): void {
    Atomics.store(this.#header, EVENTS, isTraced ? 0 : 1);
  }

  /** Nobody reads any more: what is put from now on is in vain. */
  get isClosed(): boolean {
    return this.#header[CLOSED] === 1;
  }

  close(): void {
    Atomics.store(this.#header, CLOSED, 1);
  }

  lost(): number {
    return Atomics.load(this.#header, LOST);
  }

  /** Everything that is new, as bytes of numbers; `null` when nothing is. */
  take(): Buffer | null {
    const to = Atomics.load(this.#header, WRITTEN);
    const from = Atomics.load(this.#header, READ);
    const count = (to - from) >>> 0;
    if (count === 0) return null;
    const first = (from >>> 0) % CAPACITY;
    const upTo = Math.min(CAPACITY, first + count);
    const parts = [this.#bytes(first, upTo), this.#bytes(0, first + count - upTo)];
    // A copy, made before the place is given back.
    const bytes = Buffer.concat(parts);
    Atomics.store(this.#header, READ, to);
    return bytes;
  }

  #bytes(from: number, to: number): Uint8Array {
    const bytesEach = FIELDS * 8;
    return new Uint8Array(this.memory, HEADER_BYTES + from * bytesEach, (to - from) * bytesEach);
  }

  #hasRoom(): boolean {
    const read = Atomics.load(this.#header, READ);
    this.#read = this.#written - (((this.#written | 0) - read) >>> 0);
    return this.#written - this.#read < CAPACITY;
  }
}

export = CallRing;
