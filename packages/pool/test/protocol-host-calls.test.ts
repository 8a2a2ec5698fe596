import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as real from '../dist/shared/host-call.js';
import { CALL_SLOT, DONE_HEAD, DONE_SEEN, DONE_TAIL, HOST_CALL, layoutOf } from '../dist/shared/layout.js';
import { blockAt, drainOne, slotAt } from '../dist/shared/table.js';
import { explore } from './model.js';
import { WAITS } from './model-actors.js';
import type { Actor, World } from './model-state.js';
import { VALUE } from './protocol-words.js';

/**
 * A worker that calls the host, blocks, and may give up at any moment or die; a host that hears it, reads the request, and answers or
 * does not. Request and answer are one word of the slot of the task, and memory is weak.
 */
type Protocol = typeof real;

const HOST = 0;
const WORKER = 1;
const CALLS = 2;
const SLOT = 1;
const REQUEST = 10;
const ANSWER = 100;

interface WorkerLocal {
  number: number;
  /** What became of each call: its answer, or why there is none. */
  readonly ends: (number | string)[];
  isBlocked: boolean;
}

interface HostLocal {
  /** The call that was heard; 0: none. */
  number: number;
  /** Entries that were read. */
  read: number;
}

/** @param answers does the host answer? If not, the worker has to give up */
function worldOf(answers: boolean, deaths: number, protocol: Partial<Protocol> = {}): World {
  const pool: Protocol = { ...real, ...protocol };
  const layout = layoutOf({ slots: 2, workers: 1, slotWords: 16, mailbox: 2, spinners: 0 });
  const block = blockAt(layout, 0);
  const value = slotAt(layout, SLOT) + VALUE;
  const ring = [0, 1].map((place) => block + layout.doneRing + place);
  const host: Actor = {
    step(words, local: HostLocal) {
      const table = { words, layout } as never;
      if (local.number !== 0) {
        const { number } = local;
        local.number = 0;
        if (answers && pool.mayAnswer(table, 0, number)) {
          words[value] = ANSWER + number;
          pool.answered(table, 0, number);
        }
        return true;
      }
      if (drainOne(table, 0) === -1) return true;
      local.read++;
      const call = pool.hear(table, 0);
      if (call === undefined) return true;
      assert.equal(call.slot, SLOT);
      assert.equal(words[value], REQUEST + call.number, 'the request of another call, or an answer');
      pool.heard(table, 0, call.number);
      local.number = call.number;
      return true;
    },
  };
  const worker: Actor = {
    step(words, local: WorkerLocal) {
      const table = { words, layout } as never;
      if (!local.isBlocked) {
        local.number++;
        words[value] = REQUEST + local.number;
        pool.askHost(table, 0, SLOT, local.number);
        local.isBlocked = true;
        return true;
      }
      try {
        const end = pool.awaitAnswer(table, 0, local.number, -1);
        local.ends.push(end === 'answered' ? (words[value] as number) : end);
      } catch (error) {
        if (error !== WAITS) throw error;
        return true;
      }
      local.isBlocked = false;
      return local.number < CALLS;
    },
  };
  const shared = [value, block + CALL_SLOT, ...ring];
  return {
    length: layout.words,
    actors: [host, worker],
    locals: [{ number: 0, read: 0 } satisfies HostLocal, { number: 0, ends: [], isBlocked: false }],
    live: [...shared, ...[HOST_CALL, DONE_TAIL, DONE_HEAD, DONE_SEEN].map((word) => block + word)],
    shared: shared.map((word) => ({ word, plain: word === value ? [HOST, WORKER] : [HOST], atomic: [] })),
    reorders: true,
    privateWords: (index) => (index === HOST ? [block + DONE_HEAD, block + DONE_SEEN] : []),
    isOwn: (index, word) => index === WORKER && word === block + DONE_TAIL,
    // In HELD the worker waits for the host.
    enabled: (index, all, newest) =>
      index === HOST
        ? (all[HOST] as unknown as HostLocal).number !== 0 ||
          newest(block + DONE_TAIL) !== newest(block + DONE_HEAD)
        : (newest(block + HOST_CALL) & 7) !== 2,
    mayDie: (index, dead) => index === WORKER && dead.length < deaths,
    buries: () => false,
    check(all) {
      const [{ read }, { number, ends }] = all as unknown as [HostLocal, WorkerLocal];
      assert.ok(read <= number, 'an entry without a call');
      for (const [index, end] of ends.entries())
        if (typeof end === 'number') assert.equal(end, ANSWER + index + 1, 'the answer of another call');
    },
    checkEnd(all, newest) {
      const { ends, number } = all[WORKER] as unknown as WorkerLocal;
      if (deaths === 0) assert.equal(ends.length, CALLS, 'the worker is blocked for ever');
      const isLeft = newest(block + DONE_TAIL) !== newest(block + DONE_HEAD);
      assert.ok(!isLeft && number <= CALLS, 'an entry was left');
    },
  };
}

for (const [name, answers, deaths] of [
  ['and is answered, or gives up', true, 0],
  ['and nobody answers', false, 0],
  ['and dies at any moment', true, 1],
] as const) {
  test(`a worker calls the host twice ${name}: every interleaving there is`, (t) => {
    const states = explore(worldOf(answers, deaths));
    t.diagnostic(`${states} states`);
    assert.ok(states > 100);
  });
}

const IDLE = 0;
const word = (table: { words: Int32Array; layout: never }): number => blockAt(table.layout, 0) + HOST_CALL;

/** Each breaks one line of the protocol. The checker must notice. */
const mutants: Record<string, Partial<Protocol>> = {
  'the host answers a call that was given up': { mayAnswer: () => true },
  'the request is read after the worker may give up': {
    hear(table, worker) {
      const call = real.hear(table, worker);
      if (call !== undefined) real.heard(table, worker, call.number);
      return call;
    },
  },
  'the worker gives up without a compare': {
    awaitAnswer(table, worker, number) {
      if (real.isAnswered(table, worker, number)) return 'answered';
      Atomics.store(table.words, word(table as never), IDLE);
      return 'taken';
    },
  },
  'an answer is announced before it is written': {
    mayAnswer(table, worker, number) {
      const may = real.mayAnswer(table, worker, number);
      if (may) real.answered(table, worker, number);
      return may;
    },
  },
  'the host never lets go of a call': { heard: () => {} },
};

for (const [name, protocol] of Object.entries(mutants)) {
  test(`the checker notices that ${name}`, () => {
    assert.throws(() => explore(worldOf(true, 0, protocol)), assert.AssertionError);
  });
}
