import assert from 'node:assert/strict';
import * as realGate from '../dist/shared/gate.js';
import { type Layout, layoutOf, MAIL_HEAD, MAIL_TAIL, STATE } from '../dist/shared/layout.js';
import * as slotState from '../dist/shared/slot-state.js';
import * as realTable from '../dist/shared/table.js';
import type { Actor, Newest, World } from './model-state.js';
import { HostActor } from './protocol-host.js';
import { type FilledShape, type HostLocal, newHost } from './protocol-host-state.js';
import type { Protocol, Shape } from './protocol-shape.js';
import { HOST, inboxOf, outboxOf, PORT, usesOf, WORKERS, wordsOf } from './protocol-words.js';
import { newWorker, type WorkerLocal, workerActor } from './protocol-worker.js';

/** A wake-up is on its way to a worker that sleeps. */
const isAwake = (gate: number): boolean => gate === realGate.WOKEN || gate === realGate.AWAKE;

/** Carries a message of the host to the worker that shall retire. */
const portActor = (layout: Layout): Actor => ({
  step(words) {
    Atomics.store(words, inboxOf(layout), 1);
    return false;
  },
});

const filled = (shape: Shape): FilledShape => ({
  tasks: 3,
  cancel: -1,
  deaths: 0,
  asks: 'no',
  spinners: 0,
  mail: [],
  pulls: [],
  ahead: false,
  owed: [],
  blocks: -1,
  later: -1,
  absent: -1,
  early: 'no',
  quits: -1,
  quitsAfter: shape.tasks ?? 3,
  stream: -1,
  careless: 'no',
  eager: false,
  reorders: false,
  preemptions: Number.POSITIVE_INFINITY,
  protocol: {},
  ...shape,
});

/** A pool of two workers and three tasks, as small as it can be and still have every race. */
export function worldOf(given: Shape): World {
  const shape = filled(given);
  const { slots, tasks, deaths, cancel, spinners, blocks, absent, early, quits, careless, protocol } = shape;
  const pool: Protocol = { ...realTable, ...realGate, ...protocol };
  const layout = layoutOf({ slots, workers: WORKERS.length, slotWords: 16, mailbox: 2, spinners });
  const uses = usesOf(shape);
  const gateOf = (worker: number): number => pool.gateAt({ layout, words: new Int32Array(0) }, worker);
  const hasMail = (index: number, newest: Newest): boolean => {
    const block = realTable.blockAt(layout, index);
    return newest(block + MAIL_HEAD) !== newest(block + MAIL_TAIL);
  };
  const isWaiting = (local: HostLocal, index: number): boolean =>
    local.killed.includes(index) && !local.buried.includes(index);

  return {
    length: layout.words + 2,
    actors: [
      new HostActor(pool, layout, shape, uses),
      ...WORKERS.map((index) =>
        workerActor({ pool, layout, index, uses, early, quits: index === quits, careless }),
      ),
      ...(uses.quits ? [portActor(layout)] : []),
    ] as Actor[],
    locals: [newHost(shape), ...WORKERS.map(newWorker), ...(uses.quits ? [{}] : [])],
    reorders: shape.reorders,
    ...wordsOf(layout, uses, shape.plain),
    buries: (index) => index === HOST,
    enabled(index, all, newest, dead) {
      const local = all[HOST] as unknown as HostLocal;
      if (index === HOST) {
        const isWoken = dead.length > local.buried.length || newest(pool.hostGate) === realGate.WOKEN;
        const isTold = uses.quits && !local.left && newest(outboxOf(layout)) === 1;
        return !local.asleep || local.late || isWoken || isTold;
      }
      if (index === PORT) return local.told;
      const own = all[index] as unknown as WorkerLocal;
      if (own.phase === 'blocked' || own.phase === 'condemned' || own.phase === 'retired') return false;
      if (own.phase === 'await') return local.sent.includes(own.slot);
      // It looks for mail by a timer.
      if (own.phase === 'keeps') return hasMail(index - 1, newest);
      if (own.phase !== 'asleep' || own.later !== -1) return true;
      if (index - 1 === quits && !own.retires && newest(inboxOf(layout)) === 1) return true;
      return index - 1 !== absent && isAwake(newest(gateOf(index - 1)));
    },
    mayDie(index, dead, all) {
      if (index === HOST || index === PORT || dead.includes(index)) return false;
      const local = all[HOST] as unknown as HostLocal;
      // The thread of one that has retired exits when its files have disposed of what they have: soon, or never.
      const hasRetired = (other: number): boolean =>
        (all[other] as unknown as WorkerLocal).phase === 'retired';
      const byItself = dead.filter((other) => !local.killed.includes(other - 1) && !hasRetired(other)).length;
      return local.killed.includes(index - 1) || hasRetired(index) || byItself < deaths;
    },
    check(all) {
      const local = all[HOST] as unknown as HostLocal;
      assert.ok(
        local.ended.every((count) => count <= 1),
        'a task ended twice',
      );
      assert.ok(
        !local.free.some((slot, place) => local.free.indexOf(slot) !== place),
        'a slot is free twice',
      );
      assert.ok(local.lost.length <= deaths, 'a task died with a worker that the host has killed');
      const isMailSafe = deaths === 0 && cancel < 0;
      assert.ok(!isMailSafe || local.returned === 0, 'a worker has retired before it had claimed its mail');
    },
    checkEnd(all, newest) {
      const local = all[HOST] as unknown as HostLocal;
      const isLeft = (index: number): boolean => !local.buried.includes(index) && index !== local.retiring;
      if (!WORKERS.some(isLeft) || WORKERS.some((index) => isWaiting(local, index))) return;
      const blocked = local.ended[blocks] === 0 ? 1 : 0;
      const ended = Array.from({ length: tasks }, (_, task) => (task === blocks ? 1 - blocked : 1));
      assert.deepEqual(local.ended, ended, 'a task was lost, or a wake-up, or it waits behind another one');
      assert.equal(local.free.length, slots - blocked, 'a slot leaked');
      for (const slot of local.free) {
        const state = newest(realTable.slotAt(layout, slot) + STATE);
        assert.equal(state, slotState.FREE, 'a free slot is not FREE');
      }
    },
  };
}
