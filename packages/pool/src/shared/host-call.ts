import { PoolError } from '../errors.js';
import { now } from './clock.js';
import { CALL_SLOT, HOST_CALL } from './layout.js';
import { blockAt, CALL, report, type Table } from './table.js';

/**
 * A blocking host call, in one word of the worker's block: three bits of state, then the call's number.
 *
 *     IDLE -> PENDING -> HELD -> TAKEN -> HELD -> ANSWERED -> PENDING of the next call
 *                |                 `-> IDLE
 *                `-> ABANDONED -> IDLE, or PENDING of the next call
 *
 * Request and answer are in the slot of the calling task. From PENDING and TAKEN, the host moves on to HELD and the
 * worker gives up, both by compareExchange: so the slot belongs to the host in HELD, and to the worker otherwise.
 * An entry of the completion ring announces PENDING. An abandoned call leaves its entry to the next call, so a
 * worker has at most one such entry, and the ring always has room for it.
 */
const IDLE = 0;
const PENDING = 1;
const HELD = 2;
const TAKEN = 3;
const ANSWERED = 4;
const ABANDONED = 5;

const STATE_BITS = 3;
const NUMBER_MASK = (1 << 28) - 1;

const pack = (state: number, number: number): number => ((number & NUMBER_MASK) << STATE_BITS) | state;
const wordAt = ({ layout }: Table, worker: number): number => blockAt(layout, worker) + HOST_CALL;

function moves({ words }: Table, word: number, from: number, to: number): boolean {
  return Atomics.compareExchange(words, word, from, to) === from;
}

/** Worker: call once the request is written to the slot. */
export function askHost(table: Table, worker: number, slot: number, number: number): void {
  const { words, layout } = table;
  words[blockAt(layout, worker) + CALL_SLOT] = slot;
  const before = Atomics.exchange(words, wordAt(table, worker), pack(PENDING, number));
  if ((before & ((1 << STATE_BITS) - 1)) !== ABANDONED) report(table, worker, CALL);
}

export const isAnswered = (table: Table, worker: number, number: number): boolean =>
  Atomics.load(table.words, wordAt(table, worker)) === pack(ANSWERED, number);

/** Worker: blocks until the answer is in the slot. If it comes too late, returns whether the host has read the request. */
export function awaitAnswer(
  table: Table,
  worker: number,
  number: number,
  milliseconds: number,
): 'answered' | 'taken' | 'unread' {
  const word = wordAt(table, worker);
  const end = now() + milliseconds;
  for (;;) {
    const state = Atomics.load(table.words, word);
    if (state === pack(ANSWERED, number)) return 'answered';
    // The host holds the slot for a moment, and does not notify at the end of it.
    const time = state === pack(HELD, number) ? 1 : end - now();
    if (time > 0) Atomics.wait(table.words, word, state, time);
    else if (moves(table, word, pack(TAKEN, number), pack(IDLE, number))) return 'taken';
    else if (moves(table, word, pack(PENDING, number), pack(ABANDONED, number))) return 'unread';
  }
}

/**
 * Host: for a CALL entry of the ring, holds and returns the slot of the calling task. The host must call `heard`
 * once it has read the request. Returns undefined if the worker has given up.
 */
export function hear(
  table: Table,
  worker: number,
): { readonly slot: number; readonly number: number } | undefined {
  const { words, layout } = table;
  const word = wordAt(table, worker);
  for (;;) {
    const state = Atomics.load(words, word);
    const number = state >>> STATE_BITS;
    if (moves(table, word, pack(PENDING, number), pack(HELD, number)))
      return { slot: words[blockAt(layout, worker) + CALL_SLOT] as number, number };
    if (state !== pack(ABANDONED, number)) return undefined;
    if (moves(table, word, state, pack(IDLE, number))) return undefined;
  }
}

export function heard(table: Table, worker: number, number: number): void {
  Atomics.store(table.words, wordAt(table, worker), pack(TAKEN, number));
}

/** Host: does the worker still wait for this call's answer? */
export const isWaiting = (table: Table, worker: number, number: number): boolean =>
  Atomics.load(table.words, wordAt(table, worker)) === pack(TAKEN, number);

/** Host: holds the slot to write the answer. Returns false if the worker has given up. */
export const mayAnswer = (table: Table, worker: number, number: number): boolean =>
  moves(table, wordAt(table, worker), pack(TAKEN, number), pack(HELD, number));

/** Host: call once the answer is written to the slot. */
export function answered(table: Table, worker: number, number: number): void {
  const word = wordAt(table, worker);
  Atomics.store(table.words, word, pack(ANSWERED, number));
  Atomics.notify(table.words, word);
}

export const tooLate = (name: string): PoolError =>
  new PoolError('PLIMSOLL_POOL_CALL_TOO_LATE', `The task that called host.${name}() is over`);
