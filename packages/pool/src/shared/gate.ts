import { GATE, HOST_GATE } from './layout.js';
import { blockAt, mailCount, queuedEntries, runningNow, type Table } from './table.js';

/**
 * Gates show which side sleeps. A side that wants to sleep declares it, looks for work once more, then sleeps. The
 * other side publishes work, then looks at the gate. All these accesses are sequentially consistent, so one of the
 * two sees the other, and no wake-up is lost. The side that turns SLEEPING into WOKEN by compareExchange owes
 * exactly one wake-up (see `Listener`), so no side is woken twice, or while it is awake.
 */
export const AWAKE = 0;
export const SLEEPING = 1;
/** The worker has retired: it is neither counted nor woken any more. */
export const RETIRED = 2;
/** The wake-up is on its way. The worker has claimed nothing since it slept, and will look for work. */
export const WOKEN = 3;

export const gateAt = (table: Table, worker: number): number => blockAt(table.layout, worker) + GATE;

/** The caller must look for work once more before it sleeps. */
export function declareSleep(words: Int32Array, gate: number): void {
  Atomics.store(words, gate, SLEEPING);
}

/** Call when a side was woken, or found work after it declared sleep. */
export function cancelSleep(words: Int32Array, gate: number): void {
  const state = Atomics.compareExchange(words, gate, SLEEPING, AWAKE);
  // Before the first claim: the host counts a WOKEN worker as the taker of the next task.
  if (state === WOKEN) Atomics.store(words, gate, AWAKE);
}

/** If true, the caller owes the one wake-up and must send it now. */
export function mustWake(words: Int32Array, gate: number): boolean {
  return (
    Atomics.load(words, gate) === SLEEPING &&
    Atomics.compareExchange(words, gate, SLEEPING, WOKEN) === SLEEPING
  );
}

/** Was it woken, and has it not looked for work yet? */
export const isWoken = (words: Int32Array, gate: number): boolean => Atomics.load(words, gate) === WOKEN;

export function retireItself(words: Int32Array, gate: number): void {
  Atomics.store(words, gate, RETIRED);
}

export const hostGate = HOST_GATE;

/**
 * A worker spins only while it holds a permit, and there are no more permits than spare cores. A permit names its holder, so
 * that the host can take it back from a dead worker: worker + 1, negative if it spins for a payload and takes no task.
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

export interface Wakeable {
  readonly index: number;
  /** The worker was woken, has not looked for work yet, runs nothing, and has no mail. */
  readonly isComing: boolean;
  wake(): boolean;
}

/**
 * Host: wakes one worker for each of `queued` tasks that no spinning or woken worker will take. A worker that held a permit
 * after these tasks were published looks once more before it sleeps, so it needs no wake-up. It counts once: if it also
 * counted as a sleeper, it would leave a task waiting for it alone. A worker with mail takes its mail first, so it does not
 * count. With `mayRefuse`, neither does a worker that runs something: the first task may be abortable, and share no worker.
 * Before it wakes a worker for a single task, the host looks `looks` times whether an awake worker claims it.
 */
export function wakeFor(
  table: Table,
  queued: number,
  workers: readonly Wakeable[],
  mayRefuse = false,
  looks = 0,
): void {
  if (queued <= 0) return;
  const { words, layout } = table;
  const spinning: number[] = [];
  for (let permit = layout.permits; permit < layout.permits + layout.spinners; permit++) {
    const holder = Atomics.load(words, permit);
    if (holder <= 0 || mailCount(table, holder - 1) > 0) continue;
    // Look again: if the worker had mail until now, it returns its permit before it claims.
    if (Atomics.load(words, permit) === holder) spinning.push(holder - 1);
  }
  let missing = queued - spinning.length;
  for (const worker of workers) if (missing > 0 && worker.isComing) missing--;
  if (missing === 1 && queued === 1 && workers.length > 1 && isClaimedSoon(table, workers, looks)) return;
  for (let place = workers.length - 1; place >= 0 && missing > 0; place--) {
    const worker = workers[place] as Wakeable;
    const isAsleep = Atomics.load(words, gateAt(table, worker.index)) === SLEEPING;
    if (!isAsleep || spinning.includes(worker.index)) continue;
    // Read before the wake-up: an awake worker claims.
    const isBusy = mailCount(table, worker.index) > 0 || (mayRefuse && runningNow(table, worker.index) > 0);
    if (worker.wake() && !isBusy) missing--;
  }
}

/** Host: does an awake worker claim the queued task? Between two tasks, and while it claims, it holds no permit. */
function isClaimedSoon(table: Table, workers: readonly Wakeable[], looks: number): boolean {
  const isAwake = ({ index }: Wakeable): boolean => Atomics.load(table.words, gateAt(table, index)) === AWAKE;
  if (!workers.some(isAwake)) return false;
  for (let look = 0; look < looks; look++) if (queuedEntries(table) === 0) return true;
  return false;
}

/** Host: wakes further workers if the workers that it has woken do not come. */
export function wakeFurther(queued: number, workers: readonly Wakeable[]): void {
  let missing = queued;
  for (const worker of workers) if (missing > 0 && worker.wake()) missing--;
}

/** Host: takes back the permits of an exited worker. */
export function reclaimSpinPermits(table: Table, worker: number): void {
  const { words, layout } = table;
  for (let permit = layout.permits; permit < layout.permits + layout.spinners; permit++) {
    if (Math.abs(Atomics.load(words, permit)) === worker + 1) Atomics.store(words, permit, 0);
  }
}
