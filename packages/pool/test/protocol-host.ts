import assert from 'node:assert/strict';
import * as realGate from '../dist/shared/gate.js';
import { FLAGS, type Layout } from '../dist/shared/layout.js';
import * as realTable from '../dist/shared/table.js';
import type { Actor } from './model-state.js';
import type { FilledShape, HostLocal } from './protocol-host-state.js';
import { isEndOfStream, mayEndStream, Retirement } from './protocol-retirement.js';
import type { Protocol } from './protocol-shape.js';
import { outboxOf, type Uses, VALUE, WORKERS } from './protocol-words.js';
import { BLOCKS, CLOSES, LATER, OPENS, TO_PULL } from './protocol-worker.js';

/** What the host writes for a task. Its worker answers with the same, negated. */
const inputOf = (task: number): number => task + 1;

/** The host of the modelled world: what `Dispatch`, `Crew` and `Pump` do with the table, one step after another. */
export class HostActor implements Actor {
  private readonly pool: Protocol;
  private readonly layout: Layout;
  private readonly shape: FilledShape;
  private readonly uses: Uses;
  private readonly retirement: Retirement;

  constructor(pool: Protocol, layout: Layout, shape: FilledShape, uses: Uses) {
    this.pool = pool;
    this.layout = layout;
    this.shape = shape;
    this.uses = uses;
    this.retirement = new Retirement(shape);
  }

  step(words: Int32Array, local: HostLocal, exited: readonly number[]): boolean {
    const { pool } = this;
    const table = { words, layout: this.layout };
    if (local.declared) return this.look(table, local);
    if (local.late && Atomics.load(words, pool.hostGate) !== realGate.WOKEN)
      return this.wakeFurther(table, local);
    // It only gets here when it was woken.
    if (local.asleep) {
      local.late = false;
      local.asleep = false;
      // It wakes others for what is queued before it sleeps again.
      if (this.uses.quits) {
        local.toWake = true;
        local.left = Atomics.load(words, outboxOf(this.layout)) === 1;
      }
      pool.cancelSleep(words, pool.hostGate);
      return true;
    }
    return this.act(table, local, exited);
  }

  private act(table: realTable.Table, local: HostLocal, exited: readonly number[]): boolean {
    const { pool } = this;
    if (local.toTell >= 0) return this.tell(table, local);
    const dead = exited.find((index) => !local.buried.includes(index - 1));
    if (dead !== undefined) return this.reapWorker(table, local, dead - 1);
    if (local.toWake && (this.shape.eager || this.retirement.isDue(local))) return this.wake(table, local);
    if (this.retirement.goesOn(local)) return true;
    if (this.hasToSubmit(local)) return this.submit(table, local);
    if (local.toWake) return this.wake(table, local);
    if (local.cancel >= 0 && local.cancel < local.next) return this.abort(table, local);
    if (this.drain(table, local)) return true;
    if (this.isOver(local)) return false;
    pool.declareSleep(table.words, pool.hostGate);
    local.declared = true;
    return true;
  }

  private hasToSubmit(local: HostLocal): boolean {
    if (local.free.length === 0) return false;
    return local.again.length > 0 || (local.next < this.shape.tasks && mayEndStream(this.shape, local));
  }

  /** Of a cancelled task, the slot comes back later than the end. */
  private isOver(local: HostLocal): boolean {
    return local.free.length === this.shape.slots && local.ended.every((count) => count === 1);
  }

  private drain(table: realTable.Table, local: HostLocal): boolean {
    for (const index of WORKERS) {
      const entry = local.buried.includes(index) ? -1 : this.pool.drainOne(table, index);
      if (entry === -1) continue;
      if ((entry & realTable.PULL) !== 0) {
        local.sent.push(entry & ~realTable.PULL);
        if (this.shape.ahead) this.postAhead(table, local, index);
      } else this.finish(table, local, entry, index);
      return true;
    }
    return false;
  }

  /** As `Dispatch`. */
  private postAhead(table: realTable.Table, local: HostLocal, worker: number): void {
    const { pool } = this;
    const slot = this.isAlive(local, worker) ? pool.oldestQueued(table) : -1;
    if (slot === -1 || !pool.retract(table, slot)) return;
    table.words[realTable.slotAt(this.layout, slot) + FLAGS] = 0;
    assert.ok(pool.publishTo(table, worker, slot), 'a mailbox is full');
    local.toTell = worker;
  }

  private finish(table: realTable.Table, local: HostLocal, slot: number, worker: number): void {
    if (local.holds[slot] === this.shape.stream) local.keeper = worker;
    if (this.uses.values) {
      const task = local.holds[slot] as number;
      const result = table.words[realTable.slotAt(this.layout, slot) + VALUE];
      assert.equal(result, -inputOf(task), 'a result is not what the worker has written');
    }
    this.giveBack(table, local, slot);
  }

  private giveBack(table: realTable.Table, local: HostLocal, slot: number): void {
    const task = local.holds[slot] as number;
    this.pool.release(table, slot);
    if (task !== local.cancelled) local.ended[task] = (local.ended[task] as number) + 1;
    local.holds[slot] = -1;
    local.sent = local.sent.filter((other) => other !== slot);
    local.free.push(slot);
  }

  private look(table: realTable.Table, local: HostLocal): boolean {
    const { pool } = this;
    local.declared = false;
    if (WORKERS.some((index) => !local.buried.includes(index) && pool.anythingDone(table, index)))
      pool.cancelSleep(table.words, pool.hostGate);
    else {
      local.asleep = true;
      local.late = this.shape.absent >= 0 && pool.queuedEntries(table) > 0;
    }
    return true;
  }

  private submit(table: realTable.Table, local: HostLocal): boolean {
    const { pool, shape } = this;
    const slot = local.free[0] as number;
    const [task = local.next] = local.again;
    const endsStream = isEndOfStream(shape, task);
    const target = endsStream ? local.keeper : this.targetOf(table, local, task);
    const alone = target !== undefined && target >= 0 && this.isAlive(local, target);
    if (endsStream && !alone) return this.reject(local, task);
    this.write(table, slot, task, alone);
    if (alone ? !pool.publishTo(table, target, slot) : !pool.publish(table, slot))
      return this.wake(table, local);
    local.free = local.free.slice(1);
    local.holds[slot] = task;
    if (local.again.length > 0) local.again.shift();
    else local.next++;
    if (alone) local.toTell = target;
    else local.toWake = true;
    return true;
  }

  private targetOf(table: realTable.Table, local: HostLocal, task: number): number | undefined {
    const target = this.shape.owed.includes(task) ? this.taker(table, local) : this.shape.mail[task];
    return target === local.retiring && this.shape.careless !== 'mails' ? undefined : target;
  }

  /** What continues a stream is for its worker alone. */
  private reject(local: HostLocal, task: number): boolean {
    local.ended[task] = (local.ended[task] as number) + 1;
    local.next++;
    return true;
  }

  private isAlive({ killed, buried }: HostLocal, index: number): boolean {
    return !killed.includes(index) && !buried.includes(index);
  }

  /** As `Dispatch.taker`. */
  private taker(table: realTable.Table, local: HostLocal): number | undefined {
    if (this.pool.queuedEntries(table) > 0) return undefined;
    return WORKERS.find((index) => this.isAlive(local, index) && this.pool.hasNothing(table, index));
  }

  private write({ words }: realTable.Table, slot: number, task: number, isPosted: boolean): void {
    const { pulls, owed, blocks, later, stream } = this.shape;
    const toPull = pulls.includes(task) || (owed.includes(task) && !isPosted);
    const base = realTable.slotAt(this.layout, slot);
    if (this.uses.flags) {
      words[base + FLAGS] =
        (toPull ? TO_PULL : 0) |
        (task === blocks ? BLOCKS : 0) |
        (task === later ? LATER : 0) |
        (task === stream ? OPENS : 0) |
        (isEndOfStream(this.shape, task) ? CLOSES : 0);
    }
    if (this.uses.values) words[base + VALUE] = inputOf(task);
  }

  /** The wake-up itself is carried by `enabled`: it looks at the gates of sleeping workers. */
  private tell(table: realTable.Table, local: HostLocal): boolean {
    this.pool.mustWake(table.words, this.pool.gateAt(table, local.toTell));
    local.toTell = -1;
    return true;
  }

  private wake(table: realTable.Table, local: HostLocal): boolean {
    const { pool } = this;
    local.toWake = false;
    pool.announce(table);
    const queued = pool.queuedEntries(table);
    if (queued > 0) pool.wakeFor(table, queued, this.workers(table, local), false, 1);
    return true;
  }

  private wakeFurther(table: realTable.Table, local: HostLocal): boolean {
    local.late = false;
    this.pool.wakeFurther(this.pool.queuedEntries(table), this.workers(table, local));
    return true;
  }

  private workers(table: realTable.Table, local: HostLocal): realGate.Wakeable[] {
    const { pool } = this;
    return WORKERS.filter((index) => this.isAlive(local, index)).map((index) => ({
      index,
      get isComing() {
        return pool.mailCount(table, index) === 0 && pool.isWoken(table.words, pool.gateAt(table, index));
      },
      wake: () => pool.mustWake(table.words, pool.gateAt(table, index)),
    }));
  }

  private abort(table: realTable.Table, local: HostLocal): boolean {
    const { pool } = this;
    const slot = local.holds.indexOf(local.cancel);
    if (slot === -1) {
      local.cancel = -1;
      return true;
    }
    const unclaimed = pool.retract(table, slot);
    if (!unclaimed && !local.asked && this.shape.asks !== 'no') {
      local.asked = true;
      const isAsked = pool.ask(table, slot);
      if (this.shape.asks === 'only') local.cancel = -1;
      // `Ladder` ends a task that has ended by then as one that was not asked.
      if (isAsked || this.shape.asks === 'only') return true;
    }
    const runsOn = unclaimed ? -1 : pool.condemn(table, slot);
    if (unclaimed) this.giveBack(table, local, slot);
    else {
      local.cancelled = local.cancel;
      local.ended[local.cancel] = (local.ended[local.cancel] as number) + 1;
    }
    if (runsOn >= 0) local.killed.push(runsOn);
    local.cancel = -1;
    return true;
  }

  private reapWorker(table: realTable.Table, local: HostLocal, dead: number): boolean {
    const { pool } = this;
    for (let entry = pool.drainOne(table, dead); entry !== -1; entry = pool.drainOne(table, dead)) {
      if ((entry & realTable.PULL) === 0) this.finish(table, local, entry, dead);
    }
    const left = pool.sweep(table, dead);
    for (const slot of left.running) {
      const task = local.holds[slot] as number;
      if (task !== local.cancelled) local.lost.push(task);
    }
    for (const slot of left.done) this.finish(table, local, slot, dead);
    for (const slot of left.running) this.giveBack(table, local, slot);
    for (const slot of left.mail) this.takeBack(table, local, slot);
    if (this.shape.spinners > 0) pool.reclaimSpinPermits(table, dead);
    local.buried.push(dead);
    local.toWake = true;
    return true;
  }

  /** As `Dispatch`: back to the queue, unless nobody else can run it. */
  private takeBack(table: realTable.Table, local: HostLocal, slot: number): void {
    const task = local.holds[slot] as number;
    if (isEndOfStream(this.shape, task)) {
      this.giveBack(table, local, slot);
      return;
    }
    this.pool.release(table, slot);
    local.again.push(task);
    local.returned++;
    local.holds[slot] = -1;
    local.free.push(slot);
  }
}
