import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as realGate from '../dist/shared/gate.js';
import {
  DONE_HEAD,
  DONE_TAIL,
  MAIL_TAIL,
  QUEUE_HEAD,
  QUEUE_NEXT,
  QUEUE_TAIL,
  RUNNING_NOW,
  STATE,
} from '../dist/shared/layout.js';
import * as slotState from '../dist/shared/slot-state.js';
import * as realTable from '../dist/shared/table.js';
import { explore } from './model.js';
import type { Shape } from './protocol-shape.js';
import { VALUE } from './protocol-words.js';
import { worldOf } from './protocol-world.js';

/**
 * The protocol where memory is weak: plain stores become visible late and in any order, and plain loads may be early, as
 * docs/internals/memory-order.md says of each. `PLIMSOLL_MODEL=full` allows one preemption more, and any number in the
 * smallest shapes: some minutes.
 */
const full = process.env.PLIMSOLL_MODEL === 'full';
const boundOf = ({ preemptions = 2 }: Partial<Shape>): number => (full ? preemptions + 1 : preemptions);
const weak = (shape: Partial<Shape>) => worldOf({ slots: 2, reorders: true, ...shape });

const shapes: Record<string, Partial<Shape>> = {
  'two tasks': { tasks: 2 },
  'three tasks in two slots': { tasks: 3 },
  'each task is announced': { tasks: 3, eager: true, preemptions: 1 },
  'a task is cancelled at any moment': { tasks: 2, cancel: 0 },
  'a worker dies at any moment': { tasks: 2, deaths: 1, preemptions: 1 },
  'a mailbox beside the shared queue': { tasks: 3, mail: [0, undefined, 0], preemptions: 1 },
  'a cancelled task in a mailbox, whose slot is used again': { mail: [0, 1, 0], cancel: 0, preemptions: 1 },
  'a payload is asked for': { tasks: 2, pulls: [0] },
  'workers spin before they sleep': { tasks: 2, spinners: 1 },
  'what is posted goes to an idle worker, and one task never ends': { owed: [1, 2], blocks: 0 },
  'a task ends in the sleep of its worker': { tasks: 2, later: 0 },
};

const smallest: Record<string, Partial<Shape>> = {
  'two tasks, every interleaving there is': { tasks: 2, preemptions: Number.POSITIVE_INFINITY },
  'two tasks, one cancelled, every interleaving there is': {
    tasks: 2,
    cancel: 0,
    preemptions: Number.POSITIVE_INFINITY,
  },
};

for (const [name, shape] of Object.entries(full ? { ...shapes, ...smallest } : shapes)) {
  test(`plain accesses reordered: ${name}`, (t) => {
    t.diagnostic(`${explore(weak(shape), boundOf(shape))} states`);
  });
}

/** Each makes one access plain. The checker must notice, and would not if plain accesses came in order. */
const plainMutants: Record<string, Partial<Shape>> = {
  'what is queued is announced by a plain store': {
    plain: 'tail',
    protocol: {
      announce({ words }) {
        words[QUEUE_TAIL] = words[QUEUE_NEXT] as number;
      },
    },
  },
  'a claim looks at the tail of the queue by a plain load': {
    plain: 'tail',
    protocol: {
      claim(table, worker) {
        const { words, layout } = table;
        for (;;) {
          const head = Atomics.load(words, QUEUE_HEAD);
          if (head === words[QUEUE_TAIL]) return -1;
          const slot = Atomics.load(words, layout.queue + (head & (layout.slots - 1)));
          const state = realTable.slotAt(layout, slot) + STATE;
          const queued = slotState.QUEUED | (head << 3);
          const running = slotState.RUNNING | (worker << 3);
          const taken = Atomics.compareExchange(words, state, queued, running) === queued;
          Atomics.compareExchange(words, QUEUE_HEAD, head, head + 1);
          if (taken) return slot;
        }
      },
    },
  },
  'mail is announced by a plain store': {
    tasks: 2,
    mail: [0, 0],
    plain: 'mailTails',
    protocol: {
      publishTo({ words, layout }, worker, slot) {
        const block = realTable.blockAt(layout, worker);
        const tail = Atomics.load(words, block + MAIL_TAIL);
        words[block + layout.mailRing + (tail & (layout.mailbox - 1))] = slot;
        Atomics.store(words, realTable.slotAt(layout, slot) + STATE, mailed(worker, tail));
        words[block + MAIL_TAIL] = tail + 1;
        return true;
      },
    },
  },
  'the end of a task is reported by a plain store': {
    plain: 'doneTails',
    protocol: {
      complete({ words, layout }, worker, slot) {
        const block = realTable.blockAt(layout, worker);
        const state = realTable.slotAt(layout, slot) + STATE;
        Atomics.compareExchange(
          words,
          state,
          slotState.RUNNING | (worker << 3),
          slotState.DONE | (worker << 3),
        );
        words[block + RUNNING_NOW] = (words[block + RUNNING_NOW] as number) - 1;
        const tail = Atomics.load(words, block + DONE_TAIL);
        words[block + layout.doneRing + (tail & (layout.slots - 1))] = slot;
        words[block + DONE_TAIL] = tail + 1;
        return true;
      },
    },
  },
  'the host looks for reports by a plain load': {
    plain: 'doneTails',
    protocol: {
      drainOne({ words, layout }, worker) {
        const block = realTable.blockAt(layout, worker);
        const head = words[block + DONE_HEAD] as number;
        if (head === words[block + DONE_TAIL]) return -1;
        words[block + DONE_HEAD] = head + 1;
        return words[block + layout.doneRing + (head & (layout.slots - 1))] as number;
      },
    },
  },
  'sleep is declared by a plain store': {
    plain: 'gates',
    protocol: {
      declareSleep(words, gate) {
        words[gate] = realGate.SLEEPING;
      },
    },
  },
  'a permit is returned by a plain store': {
    tasks: 1,
    spinners: 1,
    plain: 'permits',
    protocol: {
      returnSpinPermit({ words }, permit) {
        words[permit] = 0;
      },
    },
  },
};

const mailed = (worker: number, position: number): number =>
  slotState.MAILED | (((worker << 16) | position) << 3);

for (const [name, shape] of Object.entries(plainMutants)) {
  test(`the checker notices when ${name}`, () => {
    const bound = shape.preemptions ?? 2;
    assert.throws(() => explore(weak(shape), bound), assert.AssertionError);
    explore(weak({ ...shape, reorders: false }), bound);
  });
}

const plus = ({ words }: realTable.Table, word: number, count: number): void => {
  words[word] = (words[word] as number) + count;
};

/** Each moves a plain store to where nothing orders it. */
const mutants: Record<string, Partial<Shape>> = {
  'a result is written after its DONE': {
    protocol: {
      complete(table, worker, slot) {
        const value = realTable.slotAt(table.layout, slot) + VALUE;
        const result = table.words[value] as number;
        table.words[value] = 0;
        const isDone = realTable.complete(table, worker, slot);
        table.words[value] = result;
        return isDone;
      },
    },
  },
  'DONE is a plain store': {
    cancel: 0,
    protocol: {
      complete(table, worker, slot) {
        const { words, layout } = table;
        words[realTable.slotAt(layout, slot) + STATE] = slotState.DONE | (worker << 3);
        plus(table, realTable.blockAt(layout, worker) + RUNNING_NOW, -1);
        realTable.report(table, worker, slot);
        return true;
      },
    },
  },
  'a task is written after it was announced': {
    tasks: 2,
    protocol: {
      publish(table, slot) {
        const value = realTable.slotAt(table.layout, slot) + VALUE;
        const task = table.words[value] as number;
        const isPublished = realTable.publish(table, slot);
        table.words[value] = 0;
        realTable.announce(table);
        table.words[value] = task;
        return isPublished;
      },
    },
  },
  'a worker counts as running only after it has claimed': {
    owed: [1, 2],
    blocks: 0,
    protocol: {
      claim(table, worker) {
        const word = realTable.blockAt(table.layout, worker) + RUNNING_NOW;
        plus(table, word, -1);
        const slot = realTable.claim(table, worker);
        plus(table, word, 1);
        return slot;
      },
    },
  },
};

for (const [name, shape] of Object.entries(mutants)) {
  test(`the checker notices when ${name}`, () => {
    assert.throws(() => explore(weak(shape), shape.preemptions ?? 2), assert.AssertionError);
  });
}
