import { GATE, HOST_GATE } from './layout.js';
import { blockAt, mailCount, runningNow, type Table } from './table.js';

/**
 * Which side sleeps, and which side must be woken.
 *
 * A side that wants to sleep declares it, then looks once more for work, then sleeps. The other side publishes
 * work, then looks whether somebody sleeps. All of these are sequentially consistent, so one of the two sees the
 * other: no wake-up is lost. Whoever turns SLEEPING into WOKEN by compareExchange owes exactly one wake-up (see
 * `Listener`), so no side is woken twice and none is sent to a side that is awake.
 */
export const AWAKE = 0;
export const SLEEPING = 1;
/** The worker has retired: it must not be counted on or woken any more. */
export const RETIRED = 2;
/** Its wake-up is on its way. It has claimed nothing since it slept, and will look for work. */
export const WOKEN = 3;

export const gateAt = (table: Table, worker: number): number => blockAt(table.layout, worker) + GATE;

/** A side is about to sleep. It must look for work once more after this. */
export function declareSleep(words: Int32Array, gate: number): void {
  Atomics.store(words, gate, SLEEPING);
}

/** A side was woken, or found work after it declared sleep. */
export function cancelSleep(words: Int32Array, gate: number): void {
  const state = Atomics.compareExchange(words, gate, SLEEPING, AWAKE);
  // Before it claims anything: who is counted as on the way takes the next task.
  if (state === WOKEN) Atomics.store(words, gate, AWAKE);
}

/** True when the caller must now send the one wake-up. */
export function mustWake(words: Int32Array, gate: number): boolean {
  return (
    Atomics.load(words, gate) === SLEEPING &&
    Atomics.compareExchange(words, gate, SLEEPING, WOKEN) === SLEEPING
  );
}

/** It was woken and has not begun to look for work. */
export const isWoken = (words: Int32Array, gate: number): boolean => Atomics.load(words, gate) === WOKEN;

/** Worker: it takes nothing more. */
export function retireItself(words: Int32Array, gate: number): void {
  Atomics.store(words, gate, RETIRED);
}

export const hostGate = HOST_GATE;

/**
 * A worker spins only while it holds a permit, and there are no more permits than spare cores. A permit names its
 * holder (worker + 1, negative when it spins for a payload and so takes no other task), so the host can take it back
 * from a worker that died while it spun.
 */
export function takeSpinPermit(table: Table, holder: number): number {
  const { words, layout } = table;
  for (let permit = layout.permits; permit < layout.permits + layout.spinners; permit++) {
    if (Atomics.compareExchange(words, permit, 0, holder) === 0) return permit;
  }
  return -1;
}

export function returnSpinPermit(table: Table, permit: number): void {
  Atomics.store(table.words, permit, 0);
}

/** A worker as seen by the side that wakes it. */
export interface Wakeable {
  readonly index: number;
  /** It was woken, has not looked for work yet, runs nothing, and nothing waits for it alone. */
  readonly isComing: boolean;
  /** Wakes it if it sleeps. False when it did not. */
  wake(): boolean;
}

/**
 * Host: one wake-up for each of so many queued tasks that no worker will take that spins, or was woken before. A worker
 * that held a permit after these tasks were published looks once more before it sleeps: it needs no wake-up, and counts
 * once, even if it sleeps by the time that its turn comes here. Counted as a sleeper too, it would leave a task to wait
 * for it alone. Whoever has mail takes that first, which may keep it for long: it counts for nothing. With `mayRefuse`, neither
 * does one that runs something: what waits first may be a task that shares its worker with no other.
 */
export function wakeFor(table: Table, queued: number, workers: readonly Wakeable[], mayRefuse = false): void {
  if (queued <= 0) return;
  const { words, layout } = table;
  const spinning: number[] = [];
  for (let permit = layout.permits; permit < layout.permits + layout.spinners; permit++) {
    const holder = Atomics.load(words, permit);
    if (holder <= 0 || mailCount(table, holder - 1) > 0) continue;
    // It may have had mail until now: it returns its permit before it claims.
    if (Atomics.load(words, permit) === holder) spinning.push(holder - 1);
  }
  let missing = queued - spinning.length;
  for (const worker of workers) if (worker.isComing) missing--;
  for (let place = workers.length - 1; place >= 0 && missing > 0; place--) {
    const worker = workers[place] as Wakeable;
    const isAsleep = Atomics.load(words, gateAt(table, worker.index)) === SLEEPING;
    if (!isAsleep || spinning.includes(worker.index)) continue;
    // Asked before: once awake it claims.
    const isBusy = mailCount(table, worker.index) > 0 || (mayRefuse && runningNow(table, worker.index) > 0);
    if (worker.wake() && !isBusy) missing--;
  }
}

/** Host: the same when the workers that were woken do not come. */
export function wakeFurther(queued: number, workers: readonly Wakeable[]): void {
  let missing = queued;
  for (const worker of workers) if (missing > 0 && worker.wake()) missing--;
}

/** Host, once a worker's thread has exited. */
export function reclaimSpinPermits(table: Table, worker: number): void {
  const { words, layout } = table;
  for (let permit = layout.permits; permit < layout.permits + layout.spinners; permit++) {
    if (Math.abs(Atomics.load(words, permit)) === worker + 1) Atomics.store(words, permit, 0);
  }
}
