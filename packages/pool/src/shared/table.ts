import {
  CLAIMED,
  DONE_HEAD,
  DONE_TAIL,
  type Layout,
  MAIL_HEAD,
  MAIL_TAIL,
  QUEUE_HEAD,
  QUEUE_TAIL,
  STATE,
} from './layout.js';

/**
 * The life of a slot, kept in its STATE word: three bits of kind, 29 bits of who or when.
 *
 *     FREE -> HELD -> QUEUED(ticket) -> RUNNING(worker) -> DONE(worker) -> FREE
 *              ^---------- retract -------'
 *
 * Invariants, which the model checker of the tests holds against every interleaving:
 *  1. Who may move a slot on: the host from FREE, HELD and DONE; whoever wins the compareExchange from QUEUED;
 *     only the claiming worker from RUNNING, or the host once that worker's thread has exited.
 *  2. A ticket is the ring position at which a slot was published, so a claim through a stale ring entry fails:
 *     the state that it expects holds the old ticket.
 *  3. A claim changes STATE first and moves the head afterwards. A worker that dies in between leaves a head that
 *     points at a slot which is no longer queued; whoever meets it moves the head on. So no death loses a slot.
 *  4. A worker writes DONE before it pushes to its completion ring. A worker that dies in between leaves a DONE
 *     slot that no ring names; the host finds it when it sweeps the slots of the dead worker.
 */
export const FREE = 0;
export const HELD = 1;
export const QUEUED = 2;
export const RUNNING = 3;
export const DONE = 4;

const KIND_BITS = 3;
const KIND_MASK = (1 << KIND_BITS) - 1;
const TICKET_MASK = (1 << 29) - 1;
const EMPTY = -1;

/** Added to a slot number in a completion ring: the worker asks for the payload instead of reporting an end. */
export const PULL = 1 << 30;

export const kindOf = (state: number): number => state & KIND_MASK;
export const ownerOf = (state: number): number => state >>> KIND_BITS;
const pack = (kind: number, value: number): number => (value << KIND_BITS) | kind;
const next = (position: number): number => (position + 1) & TICKET_MASK;

/** How many entries lie between two ring positions. */
export const distance = (head: number, tail: number): number => (tail - head) & TICKET_MASK;

/** The address of a slot's first word. */
export const slotAt = (layout: Layout, slot: number): number => layout.slotBase + slot * layout.slotWords;
/** The address of a worker's block. */
export const blockAt = (layout: Layout, worker: number): number => layout.blocks + worker * layout.blockWords;

/** One view of a table: the same on the host and in each worker. */
export interface Table {
  readonly layout: Layout;
  readonly words: Int32Array;
}

/** Host: publishes a held slot to the queue that every worker claims from. False when the ring is full. */
export function publish(table: Table, slot: number): boolean {
  const { words, layout } = table;
  const tail = Atomics.load(words, QUEUE_TAIL);
  if (distance(Atomics.load(words, QUEUE_HEAD), tail) >= layout.slots && !skipStale(table)) return false;
  words[layout.queue + (tail & (layout.slots - 1))] = slot;
  Atomics.store(words, slotAt(layout, slot) + STATE, pack(QUEUED, tail));
  Atomics.store(words, QUEUE_TAIL, next(tail));
  return true;
}

/** Host: moves the head over entries whose slots were retracted. True when that made room. */
function skipStale(table: Table): boolean {
  const { words, layout } = table;
  let moved = false;
  for (;;) {
    const head = Atomics.load(words, QUEUE_HEAD);
    if (head === Atomics.load(words, QUEUE_TAIL)) return moved;
    const slot = Atomics.load(words, layout.queue + (head & (layout.slots - 1)));
    if (Atomics.load(words, slotAt(layout, slot) + STATE) === pack(QUEUED, head)) return moved;
    Atomics.compareExchange(words, QUEUE_HEAD, head, next(head));
    moved = true;
  }
}

/** Host: gives a held slot to one worker alone. False when that worker's mailbox is full. */
export function publishTo(table: Table, worker: number, slot: number): boolean {
  const { words, layout } = table;
  const block = blockAt(layout, worker);
  const tail = Atomics.load(words, block + MAIL_TAIL);
  if (distance(Atomics.load(words, block + MAIL_HEAD), tail) >= layout.mailbox) return false;
  words[block + layout.mailRing + (tail & (layout.mailbox - 1))] = slot;
  Atomics.store(words, slotAt(layout, slot) + STATE, pack(QUEUED, tail));
  Atomics.store(words, block + MAIL_TAIL, next(tail));
  return true;
}

/** Host: takes a queued slot back. False when a worker has claimed it (or finished it) already. */
export function retract(table: Table, slot: number): boolean {
  const { words, layout } = table;
  const address = slotAt(layout, slot) + STATE;
  const state = Atomics.load(words, address);
  return kindOf(state) === QUEUED && Atomics.compareExchange(words, address, state, pack(HELD, 0)) === state;
}

/** Host: a slot that nobody else may touch. */
export function hold(table: Table, slot: number): void {
  Atomics.store(table.words, slotAt(table.layout, slot) + STATE, pack(HELD, 0));
}

/** Host: gives a slot back to the free ones. */
export function release(table: Table, slot: number): void {
  Atomics.store(table.words, slotAt(table.layout, slot) + STATE, FREE);
}

/**
 * Worker: claims the oldest queued slot, its own mailbox first. Returns the slot or -1.
 * `accepts` may refuse a shared slot, which then stays first in the queue for the others.
 */
export function claim(table: Table, worker: number, accepts?: (slot: number) => boolean): number {
  const mail = claimMail(table, worker);
  return mail === EMPTY ? claimShared(table, worker, accepts) : mail;
}

function claimShared(table: Table, worker: number, accepts?: (slot: number) => boolean): number {
  const { words, layout } = table;
  for (;;) {
    const head = Atomics.load(words, QUEUE_HEAD);
    if (head === Atomics.load(words, QUEUE_TAIL)) return EMPTY;
    const slot = Atomics.load(words, layout.queue + (head & (layout.slots - 1)));
    if (accepts !== undefined && !accepts(slot)) {
      if (Atomics.load(words, slotAt(layout, slot) + STATE) === pack(QUEUED, head)) return EMPTY;
    } else if (take(table, worker, slot, head)) {
      Atomics.compareExchange(words, QUEUE_HEAD, head, next(head));
      return slot;
    }
    Atomics.compareExchange(words, QUEUE_HEAD, head, next(head));
  }
}

function claimMail(table: Table, worker: number): number {
  const { words, layout } = table;
  const block = blockAt(layout, worker);
  for (;;) {
    const head = Atomics.load(words, block + MAIL_HEAD);
    if (head === Atomics.load(words, block + MAIL_TAIL)) return EMPTY;
    const slot = Atomics.load(words, block + layout.mailRing + (head & (layout.mailbox - 1)));
    const taken = take(table, worker, slot, head);
    Atomics.store(words, block + MAIL_HEAD, next(head));
    if (taken) return slot;
  }
}

function take(table: Table, worker: number, slot: number, ticket: number): boolean {
  const { words, layout } = table;
  const queued = pack(QUEUED, ticket);
  const address = slotAt(layout, slot) + STATE;
  if (Atomics.compareExchange(words, address, queued, pack(RUNNING, worker)) !== queued) return false;
  const counter = blockAt(layout, worker) + CLAIMED;
  words[counter] = (words[counter] as number) + 1;
  return true;
}

/**
 * Worker: would a claim change anything? Used between declaring sleep and sleeping. True also for stale entries at
 * the head, which a claim moves past; false for a slot that `accepts` refuses, which is for others to take.
 */
export function anythingQueued(table: Table, worker: number, accepts?: (slot: number) => boolean): boolean {
  const { words, layout } = table;
  if (mailCount(table, worker) > 0) return true;
  const head = Atomics.load(words, QUEUE_HEAD);
  if (head === Atomics.load(words, QUEUE_TAIL)) return false;
  if (accepts === undefined) return true;
  const slot = Atomics.load(words, layout.queue + (head & (layout.slots - 1)));
  return Atomics.load(words, slotAt(layout, slot) + STATE) !== pack(QUEUED, head) || accepts(slot);
}

/** Worker: reports the end of a claimed slot. */
export function complete(table: Table, worker: number, slot: number): void {
  Atomics.store(table.words, slotAt(table.layout, slot) + STATE, pack(DONE, worker));
  report(table, worker, slot);
}

/** Worker: pushes an entry (a slot, or a slot with PULL) to its completion ring. */
export function report(table: Table, worker: number, entry: number): void {
  const { words, layout } = table;
  const block = blockAt(layout, worker);
  const tail = Atomics.load(words, block + DONE_TAIL);
  words[block + layout.doneRing + (tail & (layout.slots - 1))] = entry;
  Atomics.store(words, block + DONE_TAIL, next(tail));
}

/** Host: the next entry of a worker's completion ring, or -1. A slot that ended is the caller's to release. */
export function drainOne(table: Table, worker: number): number {
  const { words, layout } = table;
  const block = blockAt(layout, worker);
  const head = words[block + DONE_HEAD] as number;
  if (head === Atomics.load(words, block + DONE_TAIL)) return EMPTY;
  const entry = Atomics.load(words, block + layout.doneRing + (head & (layout.slots - 1)));
  words[block + DONE_HEAD] = next(head);
  return entry;
}

/** Host: does any completion wait? */
export function anythingDone(table: Table, worker: number): boolean {
  const block = blockAt(table.layout, worker);
  return table.words[block + DONE_HEAD] !== Atomics.load(table.words, block + DONE_TAIL);
}

/** How many entries wait in a worker's mailbox. */
export function mailCount(table: Table, worker: number): number {
  const block = blockAt(table.layout, worker);
  return distance(Atomics.load(table.words, block + MAIL_HEAD), Atomics.load(table.words, block + MAIL_TAIL));
}

/** Host: queue entries that nobody has passed yet; retracted ones count until somebody does. */
export function queuedEntries(table: Table): number {
  return distance(Atomics.load(table.words, QUEUE_HEAD), Atomics.load(table.words, QUEUE_TAIL));
}

/**
 * Host, once a worker's thread has exited and its ring is drained: every slot that it still owns, by kind, and
 * the slots that wait in its mailbox (taken back, so HELD).
 */
export function sweep(table: Table, worker: number): { running: number[]; done: number[]; mail: number[] } {
  const { words, layout } = table;
  const running: number[] = [];
  const done: number[] = [];
  for (let slot = 0; slot < layout.slots; slot++) {
    const state = Atomics.load(words, slotAt(layout, slot) + STATE);
    if (state === pack(RUNNING, worker)) running.push(slot);
    if (state === pack(DONE, worker)) done.push(slot);
  }
  const mail: number[] = [];
  const block = blockAt(layout, worker);
  const tail = Atomics.load(words, block + MAIL_TAIL);
  for (let head = Atomics.load(words, block + MAIL_HEAD); head !== tail; head = next(head)) {
    const slot = words[block + layout.mailRing + (head & (layout.mailbox - 1))] as number;
    const queued = pack(QUEUED, head);
    const address = slotAt(layout, slot) + STATE;
    if (Atomics.compareExchange(words, address, queued, pack(HELD, 0)) === queued) mail.push(slot);
  }
  return { running, done, mail };
}

/** Host: a block ready for a new worker. */
export function resetBlock(table: Table, worker: number): void {
  const block = blockAt(table.layout, worker);
  for (let word = 0; word < table.layout.doneRing; word++) Atomics.store(table.words, block + word, 0);
}
