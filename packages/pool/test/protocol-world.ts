import assert from 'node:assert/strict';
import * as realGate from '../dist/shared/gate.js';
import { layoutOf, STATE } from '../dist/shared/layout.js';
import * as realTable from '../dist/shared/table.js';
import type { Actor, World } from './model-state.js';
import { type FilledShape, HostActor, type HostLocal, newHost } from './protocol-host.js';
import type { Protocol, Shape } from './protocol-shape.js';
import { HOST, usesOf, WORKERS, wordsOf } from './protocol-words.js';
import { newWorker, type WorkerLocal, workerActor } from './protocol-worker.js';

/** A wake-up is on its way to a worker that sleeps: for work, or because it was taken back from retirement. */
const isAwake = (gate: number): boolean => gate === realGate.WOKEN || gate === realGate.AWAKE;

const filled = (shape: Shape): FilledShape => ({
  tasks: 3,
  cancel: -1,
  deaths: 0,
  asks: 'no',
  spinners: 0,
  mail: [],
  pulls: [],
  owed: [],
  blocks: -1,
  later: -1,
  absent: -1,
  early: 'no',
  retire: -1,
  eager: false,
  reorders: false,
  preemptions: Number.POSITIVE_INFINITY,
  protocol: {},
  ...shape,
});

/** A pool of two workers and three tasks, as small as it can be and still have every race. */
export function worldOf(given: Shape): World {
  const shape = filled(given);
  const { slots, tasks, deaths, spinners, blocks, absent, early, protocol } = shape;
  const pool: Protocol = { ...realTable, ...realGate, ...protocol };
  const layout = layoutOf({ slots, workers: WORKERS.length, slotWords: 16, mailbox: 2, spinners });
  const uses = usesOf(shape);
  const gateOf = (worker: number): number => pool.gateAt({ layout, words: new Int32Array(0) }, worker);
  const isWaiting = (local: HostLocal, index: number): boolean =>
    local.killed.includes(index) && !local.buried.includes(index);

  return {
    length: layout.words,
    actors: [
      new HostActor(pool, layout, shape, uses),
      ...WORKERS.map((index) => workerActor({ pool, layout, index, uses, early })),
    ] as Actor[],
    locals: [newHost(shape), ...WORKERS.map(newWorker)],
    reorders: shape.reorders,
    ...wordsOf(layout, uses, shape.plain),
    buries: (index) => index === HOST,
    enabled(index, all, newest, dead) {
      const local = all[HOST] as unknown as HostLocal;
      if (index === HOST) {
        const isWoken = dead.length > local.buried.length || newest(pool.hostGate) === realGate.WOKEN;
        return !local.asleep || local.late || isWoken;
      }
      const own = all[index] as unknown as WorkerLocal;
      if (own.phase === 'blocked' || own.phase === 'condemned') return false;
      if (own.phase === 'await') return local.sent.includes(own.slot);
      if (own.phase !== 'asleep' || own.later !== -1) return true;
      return index - 1 !== absent && isAwake(newest(gateOf(index - 1)));
    },
    mayDie(index, dead, all) {
      if (index === HOST || dead.includes(index)) return false;
      const local = all[HOST] as unknown as HostLocal;
      const byItself = dead.filter((other) => !local.killed.includes(other - 1)).length;
      return local.killed.includes(index - 1) || byItself < deaths;
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
    },
    checkEnd(all, newest) {
      const local = all[HOST] as unknown as HostLocal;
      const everybodyDied = local.buried.length === WORKERS.length;
      if (everybodyDied || WORKERS.some((index) => isWaiting(local, index))) return;
      const blocked = local.ended[blocks] === 0 ? 1 : 0;
      const ended = Array.from({ length: tasks }, (_, task) => (task === blocks ? 1 - blocked : 1));
      assert.deepEqual(local.ended, ended, 'a task was lost, or a wake-up, or it waits behind another one');
      assert.equal(local.free.length, slots - blocked, 'a slot leaked');
      for (const slot of local.free) {
        const state = newest(realTable.slotAt(layout, slot) + STATE);
        assert.equal(state, realTable.FREE, 'a free slot is not FREE');
      }
    },
  };
}
