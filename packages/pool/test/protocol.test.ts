import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as realGate from '#pool/shared/gate.js';
import {
  CLAIMED,
  DONE_HEAD,
  DONE_TAIL,
  GATE,
  HOST_GATE,
  layoutOf,
  MAIL_HEAD,
  MAIL_TAIL,
  QUEUE_HEAD,
  QUEUE_TAIL,
  STATE,
} from '#pool/shared/layout.js';
import * as realTable from '#pool/shared/table.js';
import { type Actor, explore, type World } from './model.js';

const WORKERS = 2;

/** The protocol under test; a mutant replaces one function. */
type Protocol = typeof realTable & typeof realGate;
const real: Protocol = { ...realTable, ...realGate };

interface HostLocal {
  next: number;
  free: number[];
  /** Which task each slot holds. */
  holds: number[];
  /** How often each task has ended for its caller. */
  ended: number[];
  cancel: number;
  toWake: boolean;
  declared: boolean;
  asleep: boolean;
  buried: number[];
}

interface WorkerLocal {
  phase: 'claim' | 'run' | 'complete' | 'wakeHost' | 'declare' | 'look' | 'asleep';
  slot: number;
}

interface Shape {
  slots: number;
  tasks?: number;
  cancel?: number;
  deaths?: number;
  protocol?: Partial<Protocol>;
}

/** A pool of two workers and three tasks, as small as it can be and still have every race. */
function worldOf({ slots, tasks = 3, cancel = -1, deaths = 0, protocol = {} }: Shape): World {
  const pool: Protocol = { ...real, ...protocol };
  const layout = layoutOf({ slots, workers: WORKERS, slotWords: 16, mailbox: 2, spinners: 0 });
  const tableOf = (words: Int32Array): realTable.Table => ({ layout, words });
  const gateOf = (worker: number): number => pool.gateAt(tableOf(new Int32Array(0)), worker);

  const host: HostLocal = {
    next: 0,
    free: Array.from({ length: slots }, (_, slot) => slot),
    holds: new Array(slots).fill(-1),
    ended: new Array(tasks).fill(0),
    cancel,
    toWake: false,
    declared: false,
    asleep: false,
    buried: [],
  };
  const worker = (): WorkerLocal => ({ phase: 'claim', slot: -1 });
  const locals: object[] = [host, worker(), worker()];
  const block = (index: number): number => realTable.blockAt(layout, index);
  const perSlot = (base: number, step: number): number[] =>
    Array.from({ length: slots }, (_, slot) => base + slot * step);
  const live = [
    ...[QUEUE_HEAD, QUEUE_TAIL, HOST_GATE],
    ...perSlot(layout.queue, 1),
    ...perSlot(layout.slotBase + STATE, layout.slotWords),
    ...[0, 1].flatMap((index) => [
      ...[GATE, DONE_TAIL, DONE_HEAD].map((word) => block(index) + word),
      ...perSlot(block(index) + layout.doneRing, 1),
    ]),
  ];
  const constant = new Set([0, 1].flatMap((index) => [block(index) + MAIL_HEAD, block(index) + MAIL_TAIL]));

  const endTask = (local: HostLocal, slot: number): void => {
    const task = local.holds[slot] as number;
    local.ended[task] = (local.ended[task] as number) + 1;
    local.holds[slot] = -1;
    local.free.push(slot);
  };

  const hostActor = {
    step(words: Int32Array, local: HostLocal, exited: readonly number[]): boolean {
      const table = tableOf(words);
      if (local.declared) return look(table, local);
      // It only gets here when it was woken.
      if (local.asleep) {
        local.asleep = false;
        pool.cancelSleep(words, pool.hostGate);
        return true;
      }
      const dead = exited.find((index) => !local.buried.includes(index - 1));
      if (dead !== undefined) return bury(table, local, dead - 1);
      if (local.next < tasks && local.free.length > 0) return submit(table, local);
      if (local.toWake) return wake(table, local);
      if (local.cancel >= 0 && local.cancel < local.next) return abort(table, local);
      for (let index = 0; index < WORKERS; index++) {
        const entry = pool.drainOne(table, index);
        if (entry === -1) continue;
        pool.release(table, entry);
        endTask(local, entry);
        return true;
      }
      if (local.ended.every((count) => count === 1)) return false;
      pool.declareSleep(words, pool.hostGate);
      local.declared = true;
      return true;
    },
  };

  function look({ words, layout }: realTable.Table, local: HostLocal): boolean {
    local.declared = false;
    if ([0, 1].some((index) => pool.anythingDone({ words, layout }, index)))
      pool.cancelSleep(words, pool.hostGate);
    else local.asleep = true;
    return true;
  }

  function submit(table: realTable.Table, local: HostLocal): boolean {
    const slot = local.free[0] as number;
    if (!pool.publish(table, slot)) return wake(table, local);
    local.free = local.free.slice(1);
    local.holds[slot] = local.next++;
    local.toWake = true;
    return true;
  }

  /** The wake message itself is carried by `enabled`: it looks at the gates of sleeping workers. */
  function wake(table: realTable.Table, local: HostLocal): boolean {
    for (let index = 0; index < WORKERS; index++) pool.mustWake(table.words, gateOf(index));
    local.toWake = false;
    return true;
  }

  function abort(table: realTable.Table, local: HostLocal): boolean {
    const slot = local.holds.indexOf(local.cancel);
    local.cancel = -1;
    if (slot === -1 || !pool.retract(table, slot)) return true;
    pool.release(table, slot);
    endTask(local, slot);
    return true;
  }

  function bury(table: realTable.Table, local: HostLocal, dead: number): boolean {
    for (let entry = pool.drainOne(table, dead); entry !== -1; entry = pool.drainOne(table, dead)) {
      pool.release(table, entry);
      endTask(local, entry);
    }
    const left = pool.sweep(table, dead);
    for (const slot of [...left.done, ...left.running]) {
      pool.release(table, slot);
      endTask(local, slot);
    }
    local.buried.push(dead);
    local.toWake = true;
    return true;
  }

  const workerActor = (index: number) => ({
    step(words: Int32Array, local: WorkerLocal): boolean {
      const table = tableOf(words);
      const gate = gateOf(index);
      if (local.phase === 'claim') {
        local.slot = pool.claim(table, index);
        local.phase = local.slot === -1 ? 'declare' : 'complete';
      } else if (local.phase === 'complete') {
        pool.complete(table, index, local.slot);
        local.slot = -1;
        local.phase = 'wakeHost';
      } else if (local.phase === 'wakeHost') {
        pool.mustWake(words, pool.hostGate);
        local.phase = 'claim';
      } else if (local.phase === 'declare') {
        pool.declareSleep(words, gate);
        local.phase = 'look';
      } else if (local.phase === 'look') {
        local.phase = 'asleep';
        if (pool.anythingQueued(table, index)) {
          pool.cancelSleep(words, gate);
          local.phase = 'claim';
        }
      } else {
        // Its gate was turned to AWAKE, so a wake message is on its way to it.
        local.phase = 'claim';
      }
      return true;
    },
  });

  return {
    words: new Int32Array(layout.words),
    actors: [hostActor, workerActor(0), workerActor(1)] as Actor[],
    locals,
    live,
    isOwn: (index, word) =>
      constant.has(word) || word === (index === 0 ? QUEUE_TAIL : block(index - 1) + DONE_TAIL),
    privateWords(index) {
      return index === 0 ? [block(0) + DONE_HEAD, block(1) + DONE_HEAD] : [block(index - 1) + CLAIMED];
    },
    enabled(index, all, words, dead) {
      if (index === 0) {
        const local = all[0] as unknown as HostLocal;
        return !local.asleep || dead.length > local.buried.length || words[pool.hostGate] === realGate.AWAKE;
      }
      const local = all[index] as unknown as WorkerLocal;
      return local.phase !== 'asleep' || words[gateOf(index - 1)] === realGate.AWAKE;
    },
    mayDie: (index, dead) => index > 0 && dead.length < deaths && !dead.includes(index),
    check(all) {
      const local = all[0] as unknown as HostLocal;
      assert.ok(
        local.ended.every((count) => count <= 1),
        'a task ended twice',
      );
      assert.ok(
        !local.free.some((slot, place) => local.free.indexOf(slot) !== place),
        'a slot is free twice',
      );
    },
    checkEnd(all, words) {
      const local = all[0] as unknown as HostLocal;
      const everybodyDied = local.buried.length === WORKERS;
      if (everybodyDied) return;
      assert.deepEqual(local.ended, new Array(tasks).fill(1), 'a task was lost, or a wake-up');
      assert.equal(local.free.length, slots, 'a slot leaked');
      for (let slot = 0; slot < slots; slot++) {
        assert.equal(
          words[realTable.slotAt(layout, slot) + STATE],
          realTable.FREE,
          'a free slot is not FREE',
        );
      }
    },
  };
}

/**
 * Every interleaving of two workers and three tasks takes minutes, so by default two tasks are visited without a
 * bound, and three with up to two preemptions. `PLIMSOLL_MODEL=full` visits everything.
 */
const full = process.env.PLIMSOLL_MODEL === 'full';
const PREEMPTIONS = full ? Number.POSITIVE_INFINITY : 2;

const shapes: Record<string, Partial<Shape>> = {
  'every task ends once, no wake-up is lost, no slot leaks': {},
  'the same when a task is cancelled at any moment': { cancel: 1 },
  'the same when a worker dies at any moment': { deaths: 1 },
};

for (const [name, shape] of Object.entries(shapes)) {
  test(`two workers, three tasks, two slots: ${name}`, (t) => {
    t.diagnostic(`${explore(worldOf({ slots: 2, ...shape }), PREEMPTIONS)} states`);
  });
}

test('two workers, two tasks, every interleaving there is', (t) => {
  t.diagnostic(`${explore(worldOf({ slots: 2, tasks: 2 }))} states`);
});

test('two workers, one task, cancelled and a death, every interleaving there is', (t) => {
  t.diagnostic(`${explore(worldOf({ slots: 2, tasks: 1, cancel: 0, deaths: 1 }))} states`);
});

const rawWords = (table: realTable.Table): Int32Array => table.words;

/** Each breaks one line of the protocol. The checker must notice. */
const mutants: Record<string, Partial<Shape> & { protocol: Partial<Protocol> }> = {
  'a worker sleeps without looking once more': { protocol: { anythingQueued: () => false } },
  'the host sleeps without looking once more': { protocol: { anythingDone: () => false } },
  'nobody wakes sleepers': { protocol: { mustWake: () => false } },
  'a claim does not compare': {
    protocol: {
      claim(table, worker) {
        const words = rawWords(table);
        const head = Atomics.load(words, 0);
        if (head === Atomics.load(words, 16)) return -1;
        const slot = Atomics.load(words, table.layout.queue + (head & (table.layout.slots - 1)));
        Atomics.store(words, realTable.slotAt(table.layout, slot) + STATE, realTable.RUNNING | (worker << 3));
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
          const queued = realTable.QUEUED | (head << 3);
          if (Atomics.compareExchange(words, state, queued, realTable.RUNNING | (worker << 3)) === queued)
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
        Atomics.store(rawWords(table), state, realTable.DONE | (worker << 3));
      },
    },
  },
  'a cancel does not compare': {
    cancel: 1,
    protocol: {
      retract(table, slot) {
        const state = realTable.slotAt(table.layout, slot) + STATE;
        const before = Atomics.load(rawWords(table), state);
        if (realTable.kindOf(before) !== realTable.QUEUED) return false;
        Atomics.store(rawWords(table), state, realTable.HELD);
        return true;
      },
    },
  },
  'the dead are not swept': {
    deaths: 1,
    protocol: { sweep: () => ({ running: [], done: [], mail: [] }) },
  },
};

for (const [name, { protocol, ...shape }] of Object.entries(mutants)) {
  test(`the checker notices when ${name}`, () => {
    assert.throws(() => explore(worldOf({ slots: 2, ...shape, protocol }), 2), assert.AssertionError);
  });
}
