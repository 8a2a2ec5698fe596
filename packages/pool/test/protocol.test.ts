import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as realGate from '../dist/shared/gate.js';
import { RUNNING_NOW, STATE } from '../dist/shared/layout.js';
import * as slotState from '../dist/shared/slot-state.js';
import * as realTable from '../dist/shared/table.js';
import { explore } from './model.js';
import type { Shape } from './protocol-shape.js';
import { worldOf } from './protocol-world.js';

/**
 * Every interleaving of two workers and three tasks takes minutes, so by default two tasks are visited without a
 * bound, and three with up to two preemptions. `PLIMSOLL_MODEL=full` visits everything, in half an hour or more.
 */
const full = process.env.PLIMSOLL_MODEL === 'full';
const boundOf = ({ preemptions = 2 }: Partial<Shape>): number =>
  full ? Number.POSITIVE_INFINITY : preemptions;

const shapes: Record<string, Partial<Shape>> = {
  'every task ends once, no wake-up is lost, no slot leaks': {},
  'the same when a task is cancelled at any moment': { cancel: 1 },
  'the same when a worker dies at any moment': { deaths: 1 },
};

/** What else the protocol can do, each with the shape that has its races. */
const others: Record<string, Partial<Shape>> = {
  'a mailbox beside the shared queue': { tasks: 3, mail: [0, undefined, 0] },
  'a cancelled task in a mailbox, whose slot is used again in another one': { mail: [0, 1, 0], cancel: 0 },
  'a task is asked to end, and stopped later': { tasks: 2, cancel: 0, asks: 'first' },
  'a task is asked to end, and ends': { tasks: 3, cancel: 1, asks: 'only' },
  'a task that is asked to end dies': { tasks: 2, cancel: 0, asks: 'only', deaths: 1, preemptions: 1 },
  'a task is asked to end and its worker stopped, or dies': {
    tasks: 2,
    cancel: 0,
    asks: 'first',
    deaths: 1,
    preemptions: 1,
  },
  'the owner of a mailbox dies': { tasks: 2, mail: [0, undefined], deaths: 1, preemptions: 1 },
  'a payload is asked for': { tasks: 3, pulls: [0, 2], preemptions: 1 },
  'a payload is asked for, and the task cancelled': { tasks: 2, pulls: [0], cancel: 0 },
  'a payload is asked for by a worker that dies': { tasks: 2, pulls: [0], deaths: 1, preemptions: 1 },
  'a payload is asked for, and the next is posted ahead': { tasks: 3, pulls: [0, 1, 2], ahead: true },
  'a task that was posted ahead is cancelled': { tasks: 3, pulls: [0, 1], ahead: true, cancel: 1 },
  'a worker dies with what was posted ahead': {
    tasks: 2,
    pulls: [0, 1],
    ahead: true,
    deaths: 1,
    preemptions: 1,
  },
  'workers spin before they sleep': { tasks: 3, spinners: 1 },
  'workers spin before they sleep, and each task is announced': { tasks: 3, spinners: 1, eager: true },
  'each task is announced, and a worker dies': { tasks: 3, deaths: 1, eager: true, preemptions: 1 },
  'a spinning worker dies': { tasks: 2, spinners: 1, deaths: 1, preemptions: 1 },
  'one task never ends, and the others do not wait for it': { tasks: 3, blocks: 0 },
  'one task never ends while workers spin': {
    tasks: 3,
    blocks: 0,
    spinners: 1,
    preemptions: Number.POSITIVE_INFINITY,
  },
  'a payload is asked for and spun for, and one task never ends': {
    tasks: 3,
    pulls: [0],
    blocks: 0,
    spinners: 1,
    preemptions: Number.POSITIVE_INFINITY,
  },
  'mail never ends, and nothing waits behind it': { tasks: 3, mail: [1], blocks: 0 },
  'mail never ends while workers spin': { tasks: 3, mail: [1], blocks: 0, spinners: 1 },
  'a worker that is woken never comes': { tasks: 3, absent: 1, eager: true },
  'a worker that is woken never comes, and workers spin': { tasks: 3, absent: 1, spinners: 1 },
  'what is posted goes to an idle worker, and one task never ends': { owed: [1, 2], blocks: 0 },
  'what is posted goes to an idle worker, beside mail that never ends': {
    mail: [0],
    owed: [1, 2],
    blocks: 0,
  },
  'a task ends in the sleep of its worker': { tasks: 3, later: 0 },
  'everything at once': {
    tasks: 3,
    mail: [undefined, 1, undefined],
    pulls: [0],
    cancel: 2,
    spinners: 1,
  },
};

for (const [name, shape] of Object.entries(others)) {
  test(`two workers: ${name}`, (t) => {
    t.diagnostic(`${explore(worldOf({ slots: 2, ...shape }), boundOf(shape))} states`);
  });
}

for (const [name, shape] of Object.entries(shapes)) {
  test(`two workers, three tasks, two slots: ${name}`, (t) => {
    t.diagnostic(`${explore(worldOf({ slots: 2, ...shape }), boundOf(shape))} states`);
  });
}

test('two workers, two tasks, every interleaving there is', (t) => {
  t.diagnostic(`${explore(worldOf({ slots: 2, tasks: 2 }))} states`);
});

test('two workers, one task, cancelled and a death, every interleaving there is', (t) => {
  t.diagnostic(`${explore(worldOf({ slots: 2, tasks: 1, cancel: 0, deaths: 1 }))} states`);
});

const rawWords = (table: realTable.Table): Int32Array => table.words;

/** Makes the count of what a worker runs wrong for a while. */
const count = ({ words, layout }: realTable.Table, worker: number, tasks: number): void => {
  const word = realTable.blockAt(layout, worker) + RUNNING_NOW;
  words[word] = (words[word] as number) + tasks;
};

/** Each breaks one line of the protocol. The checker must notice. */
const mutants: Record<string, Partial<Shape>> = {
  'a worker wakes the host only before its result is there': { early: 'only' },
  'a task is posted ahead that another worker has claimed': {
    pulls: [0, 1],
    ahead: true,
    protocol: {
      retract(table, slot) {
        Atomics.store(rawWords(table), realTable.slotAt(table.layout, slot) + STATE, slotState.HELD);
        return true;
      },
    },
  },
  'a worker sleeps without looking once more': { protocol: { anythingQueued: () => false } },
  'the host sleeps without looking once more': { protocol: { anythingDone: () => false } },
  'what is queued is not announced': { protocol: { announce: () => {} } },
  'sleepers are woken before what is queued is announced': {
    protocol: {
      announce: () => {},
      wakeFor(table, queued, workers) {
        realGate.wakeFor(table, queued, workers);
        realTable.announce(table);
      },
    },
  },
  'nobody wakes sleepers': { protocol: { mustWake: () => false } },
  'a claim does not compare': {
    protocol: {
      claim(table, worker) {
        const words = rawWords(table);
        const head = Atomics.load(words, 0);
        if (head === Atomics.load(words, 16)) return -1;
        const slot = Atomics.load(words, table.layout.queue + (head & (table.layout.slots - 1)));
        Atomics.store(words, realTable.slotAt(table.layout, slot) + STATE, slotState.RUNNING | (worker << 3));
        Atomics.compareExchange(words, 0, head, head + 1);
        return slot;
      },
    },
  },
  'a claim moves the head before it changes the state': {
    deaths: 1,
    protocol: {
      claim(table, worker) {
        const words = rawWords(table);
        for (;;) {
          const head = Atomics.load(words, 0);
          if (head === Atomics.load(words, 16)) return -1;
          const slot = Atomics.load(words, table.layout.queue + (head & (table.layout.slots - 1)));
          if (Atomics.compareExchange(words, 0, head, head + 1) !== head) continue;
          const state = realTable.slotAt(table.layout, slot) + STATE;
          const queued = slotState.QUEUED | (head << 3);
          if (Atomics.compareExchange(words, state, queued, slotState.RUNNING | (worker << 3)) === queued)
            return slot;
        }
      },
    },
  },
  'a worker reports before it writes DONE': {
    protocol: {
      complete(table, worker, slot) {
        realTable.report(table, worker, slot);
        const state = realTable.slotAt(table.layout, slot) + STATE;
        Atomics.store(rawWords(table), state, slotState.DONE | (worker << 3));
        return true;
      },
    },
  },
  'a worker counts as running only after it has claimed': {
    owed: [1, 2],
    blocks: 0,
    protocol: {
      claim(table, worker) {
        count(table, worker, -1);
        const slot = realTable.claim(table, worker);
        count(table, worker, 1);
        return slot;
      },
    },
  },
  'the host asks what a worker runs before it looks at its mail': {
    mail: [0],
    owed: [1],
    blocks: 0,
    protocol: {
      hasNothing: (table, worker) =>
        realTable.runningNow(table, worker) === 0 && realTable.mailCount(table, worker) === 0,
    },
  },
  'a cancel does not compare': {
    cancel: 1,
    protocol: {
      retract(table, slot) {
        const state = realTable.slotAt(table.layout, slot) + STATE;
        const before = Atomics.load(rawWords(table), state);
        if (slotState.kindOf(before) !== slotState.QUEUED) return false;
        Atomics.store(rawWords(table), state, slotState.HELD);
        return true;
      },
    },
  },
  'a killed worker may go on to the next task': {
    cancel: 0,
    protocol: {
      condemn(table, slot) {
        const state = Atomics.load(rawWords(table), realTable.slotAt(table.layout, slot) + STATE);
        return slotState.kindOf(state) === slotState.RUNNING ? slotState.ownerOf(state) : -1;
      },
    },
  },
  'a task that was asked to end cannot': {
    cancel: 0,
    asks: 'only',
    protocol: {
      complete(table, worker, slot) {
        const state = realTable.slotAt(table.layout, slot) + STATE;
        const running = slotState.RUNNING | (worker << 3);
        const done = slotState.DONE | (worker << 3);
        const isDone = Atomics.compareExchange(rawWords(table), state, running, done) === running;
        count(table, worker, -1);
        if (isDone) realTable.report(table, worker, slot);
        return isDone;
      },
    },
  },
  'a worker that was asked is not swept': {
    cancel: 0,
    asks: 'only',
    deaths: 1,
    protocol: {
      sweep(table, worker) {
        const left = realTable.sweep(table, worker);
        const isAsked = (slot: number): boolean => {
          const state = Atomics.load(rawWords(table), realTable.slotAt(table.layout, slot) + STATE);
          return slotState.kindOf(state) === slotState.ASKED;
        };
        return { ...left, running: left.running.filter((slot) => !isAsked(slot)) };
      },
    },
  },
  'a payload that is asked for is not told of': {
    pulls: [0],
    protocol: { report: () => {} },
  },
  'a spinning worker is counted again once it sleeps': {
    spinners: 1,
    blocks: 0,
    preemptions: Number.POSITIVE_INFINITY,
    protocol: {
      wakeFor(table, queued, workers) {
        let left = queued - (Atomics.load(rawWords(table), table.layout.permits) === 0 ? 0 : 1);
        for (const worker of workers.toReversed()) if (left > 0 && worker.wake()) left--;
      },
    },
  },
  'who was woken is counted as coming after it has come': {
    blocks: 0,
    preemptions: Number.POSITIVE_INFINITY,
    protocol: {
      cancelSleep: (words, gate) =>
        void Atomics.compareExchange(words, gate, realGate.SLEEPING, realGate.AWAKE),
    },
  },
  'who was woken for its mail is counted as coming for the queue': {
    mail: [0],
    blocks: 0,
    preemptions: Number.POSITIVE_INFINITY,
    protocol: { mailCount: () => 0 },
  },
  'who is woken with mail counts for the queue': {
    mail: [1],
    blocks: 0,
    protocol: {
      wakeFor(_, queued, workers) {
        let left = queued - workers.filter(({ isComing }) => isComing).length;
        for (const worker of workers.toReversed()) if (left > 0 && worker.wake()) left--;
      },
    },
  },
  'who spins with mail counts for the queue': {
    mail: [1],
    blocks: 0,
    spinners: 1,
    protocol: {
      wakeFor(table, queued, workers) {
        const holder = Atomics.load(rawWords(table), table.layout.permits);
        const others = workers.filter(({ index }) => index !== holder - 1);
        realGate.wakeFurther(queued - (holder > 0 ? 1 : 0), others);
      },
    },
  },
  'who spins for a payload is taken for one that takes a task': {
    pulls: [0],
    blocks: 0,
    spinners: 1,
    preemptions: Number.POSITIVE_INFINITY,
    protocol: { takeSpinPermit: (table, holder) => realGate.takeSpinPermit(table, Math.abs(holder)) },
  },
  'the host counts on a worker that never comes': {
    tasks: 1,
    absent: 1,
    protocol: { wakeFurther: () => {} },
  },
  'the permits of the dead are kept': {
    tasks: 2,
    spinners: 1,
    deaths: 1,
    eager: true,
    protocol: { reclaimSpinPermits: () => {} },
  },
  'the dead are not swept': {
    deaths: 1,
    protocol: { sweep: () => ({ running: [], done: [], mail: [] }) },
  },
};

for (const [name, shape] of Object.entries(mutants)) {
  test(`the checker notices when ${name}`, () => {
    const world = worldOf({ slots: 2, ...shape });
    assert.throws(() => explore(world, shape.preemptions ?? 2), assert.AssertionError);
  });
}
