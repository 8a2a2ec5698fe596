import assert from 'node:assert/strict';
import * as realGate from '#pool/shared/gate.js';
import {
  CLAIMED,
  DONE_HEAD,
  DONE_SEEN,
  DONE_TAIL,
  FLAGS,
  GATE,
  HOST_GATE,
  layoutOf,
  MAIL_HEAD,
  MAIL_TAIL,
  QUEUE_HEAD,
  QUEUE_NEXT,
  QUEUE_SEEN,
  QUEUE_TAIL,
  STATE,
} from '#pool/shared/layout.js';
import * as realTable from '#pool/shared/table.js';
import type { Actor, World } from './model.js';
import {
  BLOCKS,
  type Early,
  newWorker,
  type Protocol,
  TO_PULL,
  type WorkerLocal,
  workerActor,
} from './protocol-worker.js';

const WORKERS = 2;

/** A wake-up is on its way to a worker that sleeps: for work, or because it was taken back from retirement. */
const isAwake = (gate: number | undefined): boolean => gate === realGate.WOKEN || gate === realGate.AWAKE;

interface HostLocal {
  next: number;
  /** Tasks that were in the mailbox of a worker that died. */
  again: number[];
  free: number[];
  /** Which task each slot holds. */
  holds: number[];
  /** How often each task has ended for its caller. */
  ended: number[];
  /** Tasks that died with their workers. */
  lost: number[];
  cancel: number;
  cancelled: number;
  retire: number;
  /** Workers whose threads the host has begun to stop: they may go on until they die. */
  killed: number[];
  /** Slots whose payloads were sent to the worker that asked for them. */
  sent: number[];
  toWake: boolean;
  /** A worker whose mail is new, or that was taken back from retirement: it gets a message. */
  toTell: number;
  declared: boolean;
  asleep: boolean;
  /** It sleeps, and soon no longer counts on the workers that it woke. */
  late: boolean;
  buried: number[];
}

export interface Shape {
  slots: number;
  tasks?: number;
  cancel?: number;
  deaths?: number;
  /** Workers that spin before they sleep. */
  spinners?: number;
  /** Which worker's mailbox each task goes to; undefined: the shared queue. */
  mail?: (number | undefined)[];
  /** Tasks whose payload the worker has to ask for. */
  pulls?: number[];
  /** A task that never ends. */
  blocks?: number;
  /** A worker that never wakes up once it sleeps: its own timers keep its event loop busy. */
  absent?: number;
  early?: Early;
  /** A worker that the host retires once it sleeps. */
  retire?: number;
  /** Does the host announce each task by itself? Otherwise all that have a slot at once. */
  eager?: boolean;
  /** How often an actor that could go on is made to wait, at most. */
  preemptions?: number;
  protocol?: Partial<Protocol>;
}

/** A pool of two workers and three tasks, as small as it can be and still have every race. */
export function worldOf({
  slots,
  tasks = 3,
  cancel = -1,
  deaths = 0,
  spinners = 0,
  mail = [],
  pulls = [],
  blocks = -1,
  absent = -1,
  early = 'no',
  retire = -1,
  eager = false,
  protocol = {},
}: Shape): World {
  const pool: Protocol = { ...realTable, ...realGate, ...protocol };
  const layout = layoutOf({ slots, workers: WORKERS, slotWords: 16, mailbox: 2, spinners });
  const needsFlags = pulls.length > 0 || blocks >= 0;
  const tableOf = (words: Int32Array): realTable.Table => ({ layout, words });
  const gateOf = (worker: number): number => pool.gateAt(tableOf(new Int32Array(0)), worker);

  const host: HostLocal = {
    next: 0,
    again: [],
    free: Array.from({ length: slots }, (_, slot) => slot),
    holds: new Array(slots).fill(-1),
    ended: new Array(tasks).fill(0),
    lost: [],
    cancel,
    cancelled: -1,
    retire,
    killed: [],
    sent: [],
    toWake: false,
    toTell: -1,
    declared: false,
    asleep: false,
    late: false,
    buried: [],
  };
  const locals: object[] = [host, newWorker(), newWorker()];
  const block = (index: number): number => realTable.blockAt(layout, index);
  const perSlot = (base: number, step: number): number[] =>
    Array.from({ length: slots }, (_, slot) => base + slot * step);
  const live = [
    ...[QUEUE_HEAD, QUEUE_TAIL, QUEUE_NEXT, QUEUE_SEEN, HOST_GATE],
    ...Array.from({ length: spinners }, (_, token) => layout.tokens + token),
    ...perSlot(layout.queue, 1),
    ...perSlot(layout.slotBase + STATE, layout.slotWords),
    ...(needsFlags ? perSlot(layout.slotBase + FLAGS, layout.slotWords) : []),
    ...[0, 1].flatMap((index) => [
      ...[GATE, DONE_TAIL, DONE_HEAD, DONE_SEEN].map((word) => block(index) + word),
      ...perSlot(block(index) + layout.doneRing, 1),
      ...(mail.length > 0 ? [MAIL_HEAD, MAIL_TAIL].map((word) => block(index) + word) : []),
      ...(mail.length > 0 ? [0, 1].map((entry) => block(index) + layout.mailRing + entry) : []),
    ]),
  ];
  const mailWords = [0, 1].flatMap((index) => [block(index) + MAIL_HEAD, block(index) + MAIL_TAIL]);
  const constant = new Set(mail.length > 0 ? [] : mailWords);
  /** Of a cancelled task, the slot comes back later than the end. */
  const isOver = (local: HostLocal): boolean =>
    local.free.length === slots && local.ended.every((count) => count === 1);

  const endTask = (local: HostLocal, slot: number): void => {
    const task = local.holds[slot] as number;
    if (task !== local.cancelled) local.ended[task] = (local.ended[task] as number) + 1;
    local.holds[slot] = -1;
    local.sent = local.sent.filter((other) => other !== slot);
    local.free.push(slot);
  };

  const hostActor = {
    step(words: Int32Array, local: HostLocal, exited: readonly number[]): boolean {
      const table = tableOf(words);
      if (local.declared) return look(table, local);
      if (local.late && words[pool.hostGate] !== realGate.WOKEN) return wakeFurther(table, local);
      // It only gets here when it was woken.
      if (local.asleep) {
        local.late = false;
        local.asleep = false;
        pool.cancelSleep(words, pool.hostGate);
        return true;
      }
      if (local.toTell >= 0) return tell(table, local);
      const dead = exited.find((index) => !local.buried.includes(index - 1));
      if (dead !== undefined) return bury(table, local, dead - 1);
      if (eager && local.toWake) return wake(table, local);
      if ((local.next < tasks || local.again.length > 0) && local.free.length > 0)
        return submit(table, local);
      if (local.toWake) return wake(table, local);
      if (local.cancel >= 0 && local.cancel < local.next) return abort(table, local);
      if (local.retire >= 0) return tryToRetire(table, local);
      for (let index = 0; index < WORKERS; index++) {
        const entry = local.buried.includes(index) ? -1 : pool.drainOne(table, index);
        if (entry === -1) continue;
        if ((entry & realTable.PULL) !== 0) local.sent.push(entry & ~realTable.PULL);
        else {
          pool.release(table, entry);
          endTask(local, entry);
        }
        return true;
      }
      if (isOver(local)) return false;
      pool.declareSleep(words, pool.hostGate);
      local.declared = true;
      return true;
    },
  };

  function look({ words, layout }: realTable.Table, local: HostLocal): boolean {
    local.declared = false;
    if ([0, 1].some((index) => !local.buried.includes(index) && pool.anythingDone({ words, layout }, index)))
      pool.cancelSleep(words, pool.hostGate);
    else {
      local.asleep = true;
      local.late = absent >= 0 && pool.queuedEntries({ words, layout }) > 0;
    }
    return true;
  }

  function submit(table: realTable.Table, local: HostLocal): boolean {
    const slot = local.free[0] as number;
    const [task = local.next] = local.again;
    const target = mail[task];
    const alone = target !== undefined && !local.killed.includes(target) && !local.buried.includes(target);
    table.words[realTable.slotAt(layout, slot) + FLAGS] =
      (pulls.includes(task) ? TO_PULL : 0) | (task === blocks ? BLOCKS : 0);
    if (alone ? !pool.publishTo(table, target, slot) : !pool.publish(table, slot)) return wake(table, local);
    local.free = local.free.slice(1);
    local.holds[slot] = task;
    if (local.again.length > 0) local.again.shift();
    else local.next++;
    if (alone) local.toTell = target;
    else local.toWake = true;
    return true;
  }

  /** The wake-up itself is carried by `enabled`: it looks at the gates of sleeping workers. */
  function tell(table: realTable.Table, local: HostLocal): boolean {
    pool.mustWake(table.words, gateOf(local.toTell));
    local.toTell = -1;
    return true;
  }

  function wake(table: realTable.Table, local: HostLocal): boolean {
    local.toWake = false;
    pool.announce(table);
    const queued = pool.queuedEntries(table);
    if (queued > 0) pool.wakeFor(table, queued, workersOf(table, local));
    return true;
  }

  function wakeFurther(table: realTable.Table, local: HostLocal): boolean {
    local.late = false;
    pool.wakeFurther(pool.queuedEntries(table), workersOf(table, local));
    return true;
  }

  function workersOf(table: realTable.Table, { killed, buried }: HostLocal): realGate.Wakeable[] {
    const alive = [0, 1].filter((index) => !killed.includes(index) && !buried.includes(index));
    return alive.map((index) => ({
      index,
      get isComing() {
        return pool.mailCount(table, index) === 0 && pool.isWoken(table.words, gateOf(index));
      },
      wake: () => pool.mustWake(table.words, gateOf(index)),
    }));
  }

  function abort(table: realTable.Table, local: HostLocal): boolean {
    const slot = local.holds.indexOf(local.cancel);
    if (slot === -1) {
      local.cancel = -1;
      return true;
    }
    const unclaimed = pool.retract(table, slot);
    const runsOn = unclaimed ? -1 : pool.condemn(table, slot);
    if (unclaimed) {
      pool.release(table, slot);
      endTask(local, slot);
    } else {
      local.cancelled = local.cancel;
      local.ended[local.cancel] = (local.ended[local.cancel] as number) + 1;
    }
    if (runsOn >= 0) local.killed.push(runsOn);
    local.cancel = -1;
    return true;
  }

  function tryToRetire(table: realTable.Table, local: HostLocal): boolean {
    const index = local.retire;
    local.retire = -1;
    if (local.killed.includes(index) || local.buried.includes(index)) return true;
    if (!pool.retire(table.words, gateOf(index))) return true;
    if (pool.mailCount(table, index) === 0) {
      local.killed.push(index);
      return true;
    }
    Atomics.store(table.words, gateOf(index), realGate.AWAKE);
    return true;
  }

  function bury(table: realTable.Table, local: HostLocal, dead: number): boolean {
    for (let entry = pool.drainOne(table, dead); entry !== -1; entry = pool.drainOne(table, dead)) {
      if ((entry & realTable.PULL) !== 0) continue;
      pool.release(table, entry);
      endTask(local, entry);
    }
    const left = pool.sweep(table, dead);
    for (const slot of left.running) {
      const task = local.holds[slot] as number;
      if (task !== local.cancelled) local.lost.push(task);
    }
    for (const slot of [...left.done, ...left.running]) {
      pool.release(table, slot);
      endTask(local, slot);
    }
    for (const slot of left.mail) {
      pool.release(table, slot);
      local.again.push(local.holds[slot] as number);
      local.holds[slot] = -1;
      local.free.push(slot);
    }
    if (spinners > 0) pool.reclaimTokens(table, dead);
    local.buried.push(dead);
    local.toWake = true;
    return true;
  }

  const isWaiting = (local: HostLocal, index: number): boolean =>
    local.killed.includes(index) && !local.buried.includes(index);

  return {
    words: new Int32Array(layout.words),
    actors: [
      hostActor,
      ...[0, 1].map((index) => workerActor({ pool, layout, index, needsFlags, early })),
    ] as Actor[],
    locals,
    live,
    isOwn: (index, word) =>
      constant.has(word) ||
      (index === 0
        ? word === QUEUE_TAIL || word === block(0) + MAIL_TAIL || word === block(1) + MAIL_TAIL
        : word === block(index - 1) + DONE_TAIL || word === block(index - 1) + MAIL_HEAD),
    privateWords(index) {
      if (index > 0) return [block(index - 1) + CLAIMED];
      return [
        QUEUE_NEXT,
        QUEUE_SEEN,
        ...[0, 1].flatMap((other) => [block(other) + DONE_HEAD, block(other) + DONE_SEEN]),
      ];
    },
    enabled(index, all, words, dead) {
      const local = all[0] as unknown as HostLocal;
      if (index === 0) {
        const isWoken = dead.length > local.buried.length || words[pool.hostGate] === realGate.WOKEN;
        return !local.asleep || local.late || isWoken;
      }
      const own = all[index] as unknown as WorkerLocal;
      if (own.phase === 'blocked' || own.phase === 'condemned') return false;
      if (own.phase === 'await') return local.sent.includes(own.slot);
      return own.phase !== 'asleep' || (index - 1 !== absent && isAwake(words[gateOf(index - 1)]));
    },
    mayDie(index, dead, all) {
      if (index === 0 || dead.includes(index)) return false;
      const local = all[0] as unknown as HostLocal;
      const byItself = dead.filter((other) => !local.killed.includes(other - 1)).length;
      return local.killed.includes(index - 1) || byItself < deaths;
    },
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
      assert.ok(local.lost.length <= deaths, 'a task died with a worker that the host has killed');
    },
    checkEnd(all, words) {
      const local = all[0] as unknown as HostLocal;
      const everybodyDied = local.buried.length === WORKERS;
      if (everybodyDied || isWaiting(local, 0) || isWaiting(local, 1)) return;
      const blocked = local.ended[blocks] === 0 ? 1 : 0;
      const ended = Array.from({ length: tasks }, (_, task) => (task === blocks ? 1 - blocked : 1));
      assert.deepEqual(local.ended, ended, 'a task was lost, or a wake-up, or it waits behind another one');
      assert.equal(local.free.length, slots - blocked, 'a slot leaked');
      for (const slot of local.free) {
        assert.equal(
          words[realTable.slotAt(layout, slot) + STATE],
          realTable.FREE,
          'a free slot is not FREE',
        );
      }
    },
  };
}
