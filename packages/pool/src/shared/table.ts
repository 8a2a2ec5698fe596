import {
  CLAIMED,
  DONE_HEAD,
  DONE_SEEN,
  DONE_TAIL,
  type Layout,
  MAIL_HEAD,
  MAIL_TAIL,
  QUEUE_HEAD,
  QUEUE_NEXT,
  QUEUE_SEEN,
  QUEUE_TAIL,
  RUNNING_NOW,
  STATE,
} from './layout.js';
import {
  ASKED,
  CONDEMNED,
  DONE,
  FREE,
  HELD,
  kindOf,
  MAILED,
  ownerOf,
  pack,
  QUEUED,
  RUNNING,
} from './slot-state.js';

const TICKET_MASK = (1 << 29) - 1;
/** A mailbox's ticket has a position of this many bits, more than any mailbox needs, and a worker's index up to 8,191. */
const MAIL_POSITION_BITS = 16;
const EMPTY = -1;
const REFUSED = -2;

/** Bit of an entry of a completion ring: the worker requests the slot's payload. */
export const PULL = 1 << 30;
/** Entry of a completion ring: the worker is blocked until the host has answered a host call, see `host-call.ts`. */
export const CALL = 1 << 29;

const next = (position: number): number => (position + 1) & TICKET_MASK;

export const distance = (head: number, tail: number): number => (tail - head) & TICKET_MASK;

export const slotAt = (layout: Layout, slot: number): number => layout.slotBase + slot * layout.slotWords;
const stateAt = (layout: Layout, slot: number): number => slotAt(layout, slot) + STATE;
export const blockAt = (layout: Layout, worker: number): number => layout.blocks + worker * layout.blockWords;

/** The owner of the queue that all workers claim from. Other owners are workers, with their mailboxes. */
const SHARED = -1;
const headAt = (layout: Layout, owner: number): number =>
  owner === SHARED ? QUEUE_HEAD : blockAt(layout, owner) + MAIL_HEAD;
const tailAt = (layout: Layout, owner: number): number =>
  owner === SHARED ? QUEUE_TAIL : blockAt(layout, owner) + MAIL_TAIL;
const entryAt = (layout: Layout, owner: number, position: number): number =>
  owner === SHARED
    ? layout.queue + (position & (layout.slots - 1))
    : blockAt(layout, owner) + layout.mailRing + (position & (layout.mailbox - 1));
/** The STATE of a slot that waits at this position of its owner's ring. */
const ticket = (owner: number, position: number): number =>
  owner === SHARED
    ? pack(QUEUED, position)
    : pack(MAILED, (owner << MAIL_POSITION_BITS) | (position & ((1 << MAIL_POSITION_BITS) - 1)));

export interface Table {
  readonly layout: Layout;
  readonly words: Int32Array;
}

const replaces = (words: Int32Array, address: number, expected: number, state: number): boolean =>
  Atomics.compareExchange(words, address, expected, state) === expected;

/**
 * Host: queues a slot for all workers; false if the queue is full. Until it is announced, no worker sees it: one
 * store that waits for earlier stores serves many slots.
 */
export function publish(table: Table, slot: number): boolean {
  const { words, layout } = table;
  const place = words[QUEUE_NEXT] as number;
  if (distance(words[QUEUE_SEEN] as number, place) >= layout.slots && !hasRoom(table, place)) return false;
  const address = stateAt(layout, slot);
  const state = pack(QUEUED, place);
  const following = next(place);
  // No calls from here on: if the stack is full, either all of this happens or nothing.
  words[layout.queue + (place & (layout.slots - 1))] = slot;
  words[address] = state;
  words[QUEUE_NEXT] = following;
  return true;
}

/** Host: shows all published slots to the workers. */
export function announce({ words }: Table): void {
  const place = words[QUEUE_NEXT] as number;
  if (Atomics.load(words, QUEUE_TAIL) !== place) Atomics.store(words, QUEUE_TAIL, place);
}

function hasRoom(table: Table, place: number): boolean {
  const { words, layout } = table;
  const isFull = distance(Atomics.load(words, QUEUE_HEAD), place) >= layout.slots;
  if (isFull && !skipStale(table)) return false;
  words[QUEUE_SEEN] = Atomics.load(words, QUEUE_HEAD);
  return true;
}

/** Host: moves the head past retracted entries. Returns true if it moved. */
function skipStale(table: Table): boolean {
  const { words, layout } = table;
  for (let moved = false; ; moved = true) {
    const head = Atomics.load(words, QUEUE_HEAD);
    if (head === Atomics.load(words, QUEUE_TAIL)) return moved;
    const slot = Atomics.load(words, entryAt(layout, SHARED, head));
    if (Atomics.load(words, stateAt(layout, slot)) === ticket(SHARED, head)) return moved;
    Atomics.compareExchange(words, QUEUE_HEAD, head, next(head));
  }
}

/** Host: puts a held slot into a worker's mailbox. Returns false if the mailbox is full. */
export function publishTo(table: Table, worker: number, slot: number): boolean {
  const { words, layout } = table;
  const tail = Atomics.load(words, tailAt(layout, worker));
  if (distance(Atomics.load(words, headAt(layout, worker)), tail) >= layout.mailbox) return false;
  words[entryAt(layout, worker, tail)] = slot;
  Atomics.store(words, stateAt(layout, slot), ticket(worker, tail));
  Atomics.store(words, tailAt(layout, worker), next(tail));
  return true;
}

/** Host: takes back a slot from the queue or a mailbox. Returns false if a worker has claimed it. */
export function retract(table: Table, slot: number): boolean {
  const { words, layout } = table;
  const address = stateAt(layout, slot);
  const state = Atomics.load(words, address);
  const waits = kindOf(state) === QUEUED || kindOf(state) === MAILED;
  return waits && replaces(words, address, state, pack(HELD, 0));
}

/** Host: the oldest slot in the queue, or -1. */
export function oldestQueued(table: Table): number {
  const { words, layout } = table;
  skipStale(table);
  const head = Atomics.load(words, QUEUE_HEAD);
  const slot = Atomics.load(words, entryAt(layout, SHARED, head));
  return Atomics.load(words, stateAt(layout, slot)) === ticket(SHARED, head) ? slot : EMPTY;
}

/** Host: the worker in whose mailbox a slot waits, or -1. */
export function addresseeOf({ words, layout }: Table, slot: number): number {
  const state = Atomics.load(words, stateAt(layout, slot));
  return kindOf(state) === MAILED ? ownerOf(state) >>> MAIL_POSITION_BITS : -1;
}

export const isFree = ({ words, layout }: Table, slot: number): boolean =>
  words[stateAt(layout, slot)] === FREE;

export function release(table: Table, slot: number): void {
  table.words[slotAt(table.layout, slot) + STATE] = FREE;
}

/** May this worker take the slot now? `isShared`: it is from the queue, not from the mailbox. */
type Accepts = (slot: number, isShared: boolean) => boolean;

/**
 * Worker: claims the oldest slot of its mailbox, or else of the queue. Returns the slot or -1.
 * @param accepts may refuse a slot for now. A refused slot of the queue stays first, for other workers. A refused
 * slot of the mailbox stays first, too, and nothing else is claimed before it, so that its turn comes.
 * @param mayPass whether the queue may go before this slot of the mailbox, so that both take turns
 */
export function claim(
  table: Table,
  worker: number,
  accepts?: Accepts,
  mayPass?: (slot: number) => boolean,
): number {
  if (mayPass !== undefined) {
    const due = firstOf(table, worker);
    if (due !== EMPTY && mayPass(due) && (accepts === undefined || accepts(due, false))) {
      const shared = claimFrom(table, SHARED, worker, accepts);
      if (shared >= 0) return shared;
    }
  }
  const mail = claimFrom(table, worker, worker, accepts);
  const slot = mail === EMPTY ? claimFrom(table, SHARED, worker, accepts) : mail;
  return slot === REFUSED ? EMPTY : slot;
}

/** Worker: claims from its mailbox only, while it retires. */
export function claimOwn(table: Table, worker: number, accepts?: Accepts): number {
  const mail = claimFrom(table, worker, worker, accepts);
  return mail === REFUSED ? EMPTY : mail;
}

/** The next slot of a ring, or -1. The host may have taken it back. */
function firstOf({ words, layout }: Table, owner: number): number {
  const head = Atomics.load(words, headAt(layout, owner));
  if (head === Atomics.load(words, tailAt(layout, owner))) return EMPTY;
  return Atomics.load(words, entryAt(layout, owner, head));
}

function claimFrom(table: Table, owner: number, worker: number, accepts: Accepts | undefined): number {
  const { words, layout } = table;
  for (;;) {
    const head = Atomics.load(words, headAt(layout, owner));
    if (head === Atomics.load(words, tailAt(layout, owner))) return EMPTY;
    const slot = Atomics.load(words, entryAt(layout, owner, head));
    if (refuses(table, slot, owner, head, accepts)) return REFUSED;
    const claimed = take(table, worker, slot, ticket(owner, head));
    Atomics.compareExchange(words, headAt(layout, owner), head, next(head));
    if (claimed) return slot;
  }
}

/** Is the slot still queued here, and refused by this worker? */
function refuses(table: Table, slot: number, owner: number, head: number, accepts?: Accepts): boolean {
  if (accepts === undefined || accepts(slot, owner === SHARED)) return false;
  return Atomics.load(table.words, stateAt(table.layout, slot)) === ticket(owner, head);
}

function take(table: Table, worker: number, slot: number, queued: number): boolean {
  const { words, layout } = table;
  const block = blockAt(layout, worker);
  add(words, block + RUNNING_NOW, 1);
  if (replaces(words, stateAt(layout, slot), queued, pack(RUNNING, worker))) {
    add(words, block + CLAIMED, 1);
    return true;
  }
  add(words, block + RUNNING_NOW, -1);
  return false;
}

/** For words that no other thread writes. */
function add(words: Int32Array, word: number, count: number): void {
  words[word] = (words[word] as number) + count;
}

/**
 * Worker: would a claim change anything? Called between declaring sleep and sleeping. True for stale entries, too,
 * which a claim passes; false for a slot that `accepts` refuses.
 */
export function anythingQueued(table: Table, worker: number, accepts?: Accepts): boolean {
  const { words, layout } = table;
  const owner = mailCount(table, worker) > 0 ? worker : SHARED;
  const head = Atomics.load(words, headAt(layout, owner));
  if (owner === SHARED && head === Atomics.load(words, QUEUE_TAIL)) return false;
  if (accepts === undefined) return true;
  return !refuses(table, Atomics.load(words, entryAt(layout, owner, head)), owner, head, accepts);
}

/** Worker: reports the end of a claimed slot. Returns false if the host has condemned it: then claim nothing more. */
export function complete(table: Table, worker: number, slot: number): boolean {
  const { words, layout } = table;
  const address = stateAt(layout, slot);
  const done = pack(DONE, worker);
  // The host may turn RUNNING into ASKED, and either into CONDEMNED, but nothing back: if both fail, the slot is CONDEMNED.
  const isDone =
    replaces(words, address, pack(RUNNING, worker), done) ||
    replaces(words, address, pack(ASKED, worker), done);
  add(words, blockAt(layout, worker) + RUNNING_NOW, -1);
  if (isDone) report(table, worker, slot);
  return isDone;
}

const isRunning = (state: number): boolean => kindOf(state) === RUNNING || kindOf(state) === ASKED;

export function runnerOf({ words, layout }: Table, slot: number): number {
  const state = Atomics.load(words, stateAt(layout, slot));
  return isRunning(state) ? ownerOf(state) : -1;
}

/** Host: asks the worker to end a running slot. Returns false if the slot has ended, or was asked before. */
export function ask({ words, layout }: Table, slot: number): boolean {
  const address = stateAt(layout, slot);
  const state = Atomics.load(words, address);
  if (kindOf(state) !== RUNNING) return false;
  return replaces(words, address, state, pack(ASKED, ownerOf(state)));
}

/** Worker: has the host asked it to end this slot? */
export function isAsked({ words, layout }: Table, slot: number): boolean {
  const kind = kindOf(Atomics.load(words, stateAt(layout, slot)));
  return kind === ASKED || kind === CONDEMNED;
}

export function runningNow({ words, layout }: Table, worker: number): number {
  return Atomics.load(words, blockAt(layout, worker) + RUNNING_NOW);
}

/** Host: is a worker's mailbox empty, and has the worker ended all claimed slots? */
export function hasNothing(table: Table, worker: number): boolean {
  // In this order: a worker that claims mail counts as running before the mailbox counts as empty.
  return mailCount(table, worker) === 0 && runningNow(table, worker) === 0;
}

/** Host: condemns a running slot and returns its worker, which must then be killed; or -1 if the slot has ended. */
export function condemn(table: Table, slot: number): number {
  const { words, layout } = table;
  const address = stateAt(layout, slot);
  const state = Atomics.load(words, address);
  const worker = ownerOf(state);
  return isRunning(state) && replaces(words, address, state, pack(CONDEMNED, worker)) ? worker : -1;
}

/** Worker: pushes an entry (a slot, a slot with PULL, or CALL) to its completion ring. */
export function report(table: Table, worker: number, entry: number): void {
  const { words, layout } = table;
  const block = blockAt(layout, worker);
  const tail = Atomics.load(words, block + DONE_TAIL);
  words[block + layout.doneRing + (tail & (layout.slots - 1))] = entry;
  Atomics.store(words, block + DONE_TAIL, next(tail));
}

/** Host: takes the next entry of a worker's completion ring, or returns -1. The caller releases an ended slot. */
export function drainOne(table: Table, worker: number): number {
  const { words, layout } = table;
  const block = blockAt(layout, worker);
  const head = words[block + DONE_HEAD] as number;
  if (head === words[block + DONE_SEEN]) {
    const tail = Atomics.load(words, block + DONE_TAIL);
    if (head === tail) return EMPTY;
    words[block + DONE_SEEN] = tail;
  }
  // A plain load, because the entry was written before the tail that was seen; an Atomics call would cost more than the rest.
  const entry = words[block + layout.doneRing + (head & (layout.slots - 1))] as number;
  words[block + DONE_HEAD] = next(head);
  return entry;
}

export function anythingDone(table: Table, worker: number): boolean {
  const block = blockAt(table.layout, worker);
  return table.words[block + DONE_HEAD] !== Atomics.load(table.words, block + DONE_TAIL);
}

export function mailCount(table: Table, worker: number): number {
  const { words, layout } = table;
  return distance(Atomics.load(words, headAt(layout, worker)), Atomics.load(words, tailAt(layout, worker)));
}

/** Host: entries that the head has not passed, announced or not. Retracted entries count. */
export function queuedEntries(table: Table): number {
  return distance(Atomics.load(table.words, QUEUE_HEAD), table.words[QUEUE_NEXT] as number);
}

/** Host: an exited worker's slots by kind, after its ring was drained. Slots from its mailbox are taken back, so HELD. */
export function sweep(table: Table, worker: number): { running: number[]; done: number[]; mail: number[] } {
  const { words, layout } = table;
  const running: number[] = [];
  const done: number[] = [];
  for (let slot = 0; slot < layout.slots; slot++) {
    const state = Atomics.load(words, stateAt(layout, slot));
    const isItsOwn = (isRunning(state) || kindOf(state) === CONDEMNED) && ownerOf(state) === worker;
    if (isItsOwn) running.push(slot);
    if (state === pack(DONE, worker)) done.push(slot);
  }
  const mail: number[] = [];
  const tail = Atomics.load(words, tailAt(layout, worker));
  for (let head = Atomics.load(words, headAt(layout, worker)); head !== tail; head = next(head)) {
    const slot = words[entryAt(layout, worker, head)] as number;
    if (replaces(words, stateAt(layout, slot), ticket(worker, head), pack(HELD, 0))) mail.push(slot);
  }
  return { running, done, mail };
}

export function resetBlock(table: Table, worker: number): void {
  const block = blockAt(table.layout, worker);
  for (let word = 0; word < table.layout.doneRing; word++) Atomics.store(table.words, block + word, 0);
}
