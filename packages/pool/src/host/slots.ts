import { AbortError } from '../errors.js';
import { Decoder } from '../shared/codec/decode.js';
import { type Encoded, Encoder } from '../shared/codec/encode.js';
import type { RawBuffer } from '../shared/codec/tags.js';
import { LATER } from '../shared/codec/writer.js';
import { madeBuffer, sendBuffers } from '../shared/codec/young.js';
import { sendThrown } from '../shared/error-record.js';
import { CHUNKS_MADE, CREATED, FLAGS, HANDLER, LENGTH, OFFSET, PAYLOAD, SEQUENCE } from '../shared/layout.js';
import {
  copyWords,
  describe,
  MOVED_BYTES,
  readPosted,
  type SharedTable,
  slotCapacity,
} from '../shared/memory.js';
import * as message from '../shared/messages.js';
import { buffersOf, bytesOf } from '../shared/move.js';
import { ringRead, ringWordOf } from '../shared/result-ring.js';
import { SmallMap } from '../shared/small-map.js';
import { condemn, isFree, release, retract, runnerOf, slotAt } from '../shared/table.js';
import { checkClone, checkSize } from '../shared/value-size.js';
import { Arena } from './arena.js';
import { type Extras, IN_TABLE, NO_EXTRAS, SETTLED, type Task } from './task.js';
import type { WorkerHandle } from './worker-handle.js';

type Moved = Pick<Extras, 'transfer' | 'isCopied'>;

const SEQUENCE_MASK = 0x3fffffff;
/** Large buffers, and buffers without room in the arena, are copied only when a worker takes the task, to save memory. */
const LATE: message.Payload = {};

const payloadOf = ({ words, length, externals = [], encodingFlags }: Encoded): message.Payload => ({
  words: words.slice(0, length),
  externals,
  encodingFlags,
});

/** The host's side of the table's slots: the task in each slot, its value on the way in, its outcome on the way out. */
export class Slots {
  freeCount: number;
  pinned = 0;
  /** Slots of tasks in one worker's mailbox that other workers could have run. */
  mailed = 0;
  readonly tasks: (Task | undefined)[];
  readonly shapes: (readonly string[])[] = [];
  readonly arena: Arena;
  /** Slots of settled tasks that a worker may still write to, until its thread exits. */
  readonly #condemned = new Set<number>();
  /** The worker whose mailbox got a task that other workers could have run, by slot. */
  readonly #mailedTo: (WorkerHandle | undefined)[] = [];
  readonly #free: Int32Array;
  readonly #table: SharedTable;
  readonly #payloads = new SmallMap<message.Payload>();
  /** The number of the task written last. It tells apart payloads for the same slot. */
  #sequence = 0;
  readonly #encoder: Encoder;
  readonly #mostBytes: number;
  /** The task that is being written has a buffer that is too large for the arena, or does not fit. */
  #isLate = false;
  #isSending = false;
  readonly #decoder = new Decoder(undefined, (position, length) => this.#borrow(position, length));
  readonly #workers: readonly WorkerHandle[];
  #source: WorkerHandle | undefined;
  /** The last part of the source's ring that is being read. */
  #inRing: { readonly position: number; readonly words: number } | undefined;

  /** @param workers get messages about new shapes and memory, also while they start */
  constructor(table: SharedTable, workers: readonly WorkerHandle[], mostBytes: number) {
    this.#mostBytes = mostBytes;
    this.#workers = workers;
    const { slots } = table.layout;
    this.#table = table;
    this.#free = Int32Array.from({ length: slots }, (_, index) => slots - 1 - index);
    this.freeCount = slots;
    this.tasks = new Array(slots).fill(undefined);
    const tell = (news: message.Message): void => {
      for (const worker of workers) worker.post(news);
    };
    this.arena = new Arena((index, buffer) => {
      tell(['arena', index, buffer]);
      if (buffer !== undefined) Atomics.add(table.words, CHUNKS_MADE, 1);
    });
    this.#encoder = new Encoder(
      4096,
      (bytes, write, isText) => {
        if (this.#isSending) return -1;
        const address = isText || bytes < MOVED_BYTES ? this.arena.lend(bytes, write) : -1;
        this.#isLate ||= address === -1;
        return address === -1 ? LATER : address;
      },
      (shape, names) => {
        this.shapes[shape] = names;
        tell(['shape', shape, names]);
      },
    );
  }

  /** Slots that are published, running, or reported but not read. */
  get inUse(): number {
    return this.tasks.length - this.freeCount - this.#condemned.size;
  }

  take(task: Task): number {
    const slot = this.#free[--this.freeCount] as number;
    task.slot = slot;
    this.tasks[slot] = task;
    if (task.isPinned) this.pinned++;
    return slot;
  }

  giveBack(slot: number): void {
    if (this.#condemned.size === 0 || !this.#condemned.delete(slot)) this.#uncount(slot);
    if (this.arena.blocks.size > 0) this.arena.release(slot);
    if (this.#payloads.size > 0) this.#payloads.take(slot);
    release(this.#table, slot);
    this.tasks[slot] = undefined;
    this.#free[this.freeCount++] = slot;
  }

  mail(slot: number, worker: WorkerHandle): void {
    this.#mailedTo[slot] = worker;
    worker.mailed++;
    worker.mailedAlone += this.tasks[slot]?.abortable ? 1 : 0;
    this.mailed++;
  }

  #uncount(slot: number): void {
    if (this.pinned > 0 && this.tasks[slot]?.isPinned === true) this.pinned--;
    const worker = this.#mailedTo[slot];
    if (worker === undefined) return;
    worker.mailed--;
    worker.mailedAlone -= this.tasks[slot]?.abortable ? 1 : 0;
    this.mailed--;
    this.#mailedTo[slot] = undefined;
  }

  /** Takes a published task out of the table. False: a worker has claimed it. */
  retract({ slot }: Task): boolean {
    if (!retract(this.#table, slot)) return false;
    this.giveBack(slot);
    return true;
  }

  /** Keeps a slot until its worker, which may still write there, exits. Returns the worker; -1: the task has ended. */
  condemn(slot: number): number {
    const worker = condemn(this.#table, slot);
    if (worker === -1) return -1;
    this.#uncount(slot);
    this.#condemned.add(slot);
    return worker;
  }

  collectStrays(): void {
    for (const [slot, task] of this.tasks.entries())
      if (task?.place === SETTLED && isFree(this.#table, slot)) this.giveBack(slot);
  }

  /** How many unpinned tasks a worker runs; `isExclusive`: one of them shares the worker with no other task. */
  sharedBy(worker: WorkerHandle): { readonly isExclusive: boolean; readonly count: number } {
    const { index, pinned, openStreams, running, runsAbortable } = worker;
    if (pinned + openStreams === 0) return { isExclusive: runsAbortable, count: running };
    // Only the slots tell which tasks are for this worker alone, such as steps of its streams.
    const shared = this.tasks.filter(
      (task) => task !== undefined && !task.isPinned && runnerOf(this.#table, task.slot) === index,
    );
    return { isExclusive: shared.some((task) => task?.abortable), count: shared.length };
  }

  publishedYoungestFirst(): Task[] {
    const published = this.tasks.filter((task) => task?.place === IN_TABLE) as Task[];
    return published.sort((a, b) => b.number - a.number);
  }

  /** Writes a task into its slot, the arena or a message. Returns whether it is in the slot. @throws as getters do */
  write(task: Task, slot: number): boolean {
    const table = this.#table;
    const base = slotAt(table.layout, slot);
    table.floats[(base + CREATED) >> 1] = task.created;
    table.words[base + HANDLER] = task.handler;
    table.words[base + SEQUENCE] = this.#sequence = (this.#sequence + 1) & SEQUENCE_MASK;
    const flags = (task.abortable ? message.ABORTABLE : 0) | (task.isPinned ? message.PINNED : 0);
    // A getter of the value may submit another task.
    const outer = this.arena.slot;
    this.arena.slot = slot;
    try {
      return this.#write(task.value, task.extras ?? NO_EXTRAS, slot, base, flags);
    } finally {
      this.arena.slot = outer;
    }
  }

  #write(value: unknown, moved: Moved, slot: number, base: number, flags: number): boolean {
    const table = this.#table;
    const encoded = this.#encode(value, moved);
    if (encoded === undefined) {
      this.#payloads.set(slot, this.#isLate ? LATE : { value });
      describe(table, base, flags | message.IN_PORT, 0, 0);
      return false;
    }
    const { length, externals, encodingFlags } = encoded;
    const marked = flags | (encodingFlags << message.ENCODING_FLAGS);
    if (externals === undefined && length <= slotCapacity(table.layout)) {
      copyWords(encoded, length, table, base + PAYLOAD);
      describe(table, base, marked | message.IN_SLOT, length, 0);
      return true;
    }
    const address = externals === undefined ? this.arena.allocate(length) : -1;
    if (address === -1) {
      this.#payloads.set(slot, payloadOf(encoded));
      describe(table, base, flags | message.IN_PORT, 0, 0);
      return false;
    }
    this.arena.write(address, encoded, length);
    describe(table, base, marked | message.IN_ARENA, length, address);
    return false;
  }

  /** undefined: structured clone must copy it, or it is `LATE`. @throws when it is too large or cannot be cloned */
  #encode(value: unknown, { transfer, isCopied }: Moved): Encoded | undefined {
    this.#isLate = false;
    const encoded = transfer.length > 0 && !isCopied ? undefined : this.#encoder.encode(value);
    if (this.#mostBytes === Number.POSITIVE_INFINITY) return encoded;
    const bytes = encoded === undefined ? 0 : encoded.length * 4 + encoded.bulkBytes;
    if (encoded !== undefined) checkSize('task', bytes - bytesOf(transfer), this.#mostBytes);
    else if (!this.#isLate) checkClone('task', value, this.#mostBytes, transfer);
    return encoded;
  }

  isOwed(slot: number): boolean {
    return this.#payloads.size > 0 && this.#payloads.has(slot);
  }

  /** Posts the payload that waits for a slot, if any. `mayReturn`: it may have to come back. @throws if uncloneable */
  send(worker: WorkerHandle, task: Task, mayReturn: boolean): void {
    const { extras } = task;
    if (!this.#send(worker, task.slot, task.value, extras ?? NO_EXTRAS, mayReturn) || extras === undefined)
      return;
    extras.isSent = extras.transfer.length > 0;
    extras.isCopied = false;
  }

  /** Returns whether it posted a value by structured clone. */
  #send(worker: WorkerHandle, slot: number, value: unknown, moved: Moved, mayReturn = false): boolean {
    const waiting = this.#payloads.take(slot);
    if (waiting === undefined) return false;
    const payload = waiting === LATE ? this.#late(value, moved) : waiting;
    const { words, externals = [] } = payload;
    const transfer = words === undefined ? moved.transfer : [words.buffer as ArrayBuffer, ...externals];
    const buffers = words === undefined && transfer.length > 0 ? buffersOf(transfer) : undefined;
    if (buffers !== undefined) sendBuffers(buffers);
    // While many copies leave, V8 marks in any case; the filling would only add to that.
    if (this.inUse > this.#workers.length) for (const copy of externals) madeBuffer(-copy.byteLength);
    this.#table.words[slotAt(this.#table.layout, slot) + OFFSET] = worker.nextMessage;
    const again = mayReturn && buffers !== undefined ? moved.transfer : undefined;
    const copy = { ...payload, buffers, transfer: again };
    worker.deliver(['payload', slot, this.sequenceOf(slot), copy], transfer);
    return words === undefined;
  }

  #late(value: unknown, moved: Moved): message.Payload {
    this.#isSending = true;
    try {
      const encoded = this.#encode(value, moved);
      return encoded === undefined ? { value } : payloadOf(encoded);
    } finally {
      this.#isSending = false;
    }
  }

  /** Answers a host call of the task in a slot. Frees the slot's memory in the arena, which the worker has read. */
  answer(worker: WorkerHandle, slot: number, value: unknown, transfer: message.TransferList, flags: number) {
    const moved = { transfer, isCopied: false };
    this.arena.release(slot);
    const outer = this.arena.slot;
    this.arena.slot = slot;
    try {
      this.#write(value, moved, slot, slotAt(this.#table.layout, slot), flags);
    } finally {
      this.arena.slot = outer;
    }
    this.#send(worker, slot, value, moved);
  }

  isSent(slot: number): boolean {
    const flags = this.#table.words[slotAt(this.#table.layout, slot) + FLAGS] as number;
    return (flags & message.PLACE_MASK) === message.IN_PORT && !this.isOwed(slot);
  }

  /** Tells a worker that a payload will not come, or is not needed any more. */
  cancel(worker: WorkerHandle, slot: number, sequence = this.sequenceOf(slot)): void {
    worker.post(['payload', slot, sequence, { cancelled: true }]);
  }

  abort(worker: WorkerHandle, slot: number, reason: unknown): void {
    const cause = reason instanceof AbortError ? reason.cause : reason;
    sendThrown(cause, (thrown) => worker.post(['abort', slot, this.sequenceOf(slot), thrown]));
  }

  sequenceOf(slot: number): number {
    return this.#table.words[slotAt(this.#table.layout, slot) + SEQUENCE] as number;
  }

  /** Reads an outcome or host call: from the slot at word `base`, the ring or a message. @throws if unreadable */
  read(worker: WorkerHandle, slot: number, base: number, flags: number): unknown {
    this.#source = worker;
    this.#decoder.makers = worker.makers;
    try {
      return this.#read(worker, slot, base, flags);
    } finally {
      if (this.#inRing !== undefined)
        ringRead(this.#table, worker.index, this.#inRing.position, this.#inRing.words);
      this.#inRing = undefined;
    }
  }

  #read(worker: WorkerHandle, slot: number, base: number, flags: number): unknown {
    const { words } = this.#table;
    const place = flags & message.PLACE_MASK;
    const length = words[base + LENGTH] as number;
    const encoding = flags >> message.ENCODING_FLAGS;
    if (place === message.IN_SLOT) return this.#decoder.decode(this.#table, base + PAYLOAD, length, encoding);
    if (place === message.IN_ARENA) {
      const position = words[base + OFFSET] as number;
      try {
        return this.#decoder.decode(worker.ring, ringWordOf(position), length, encoding);
      } finally {
        // This part lies behind all parts that the decoder has borrowed.
        this.#inRing = { position, words: length };
      }
    }
    // Below 0: a host call, which has a payload of its own.
    const key = words[base + OFFSET] as number;
    const payload = key < 0 ? worker.payload(key, 0) : worker.payload(slot, words[base + SEQUENCE] as number);
    return readPosted(this.#decoder, payload);
  }

  #borrow(position: number, length: number): RawBuffer {
    const start = ringWordOf(position) * 4;
    this.#inRing = { position, words: (length + 3) >> 2 };
    return (this.#source as WorkerHandle).ring.bytes.subarray(start, start + length) as RawBuffer;
  }
}
