import assert from 'node:assert/strict';
import { FLAGS, type Layout, MAIL_HEAD } from '../dist/shared/layout.js';
import * as realTable from '../dist/shared/table.js';
import type { Careless, Early, Protocol } from './protocol-shape.js';
import { inboxOf, outboxOf, type Uses, VALUE } from './protocol-words.js';

/** Bits of the model's FLAGS word. */
export const TO_PULL = 1;
export const BLOCKS = 2;
export const LATER = 4;
export const OPENS = 8;
export const CLOSES = 16;

export interface WorkerLocal {
  phase:
    | 'claim'
    | 'started'
    | 'pull'
    | 'tellHost'
    | 'awaitSpin'
    | 'await'
    | 'blocked'
    | 'wakeEarly'
    | 'complete'
    | 'wakeHost'
    | 'spin'
    | 'spinLook'
    | 'spinEnd'
    | 'declare'
    | 'look'
    | 'asleep'
    | 'lingers'
    | 'keep'
    | 'keeps'
    | 'retire'
    | 'tellEnd'
    | 'retired'
    | 'condemned';
  slot: number;
  /** The value of its task. */
  value: number;
  /** A slot whose task ends once the worker sleeps, and its value. */
  later: number;
  laterValue: number;
  permit: number;
  found: boolean;
  /** It has heard that it shall retire. */
  retires: boolean;
  /** It keeps a stream. */
  keepsStream: boolean;
}

/** A worker of the modelled world: it does what `worker/loop.ts` does, one shared operation after another. */
export interface WorkerModel {
  readonly pool: Protocol;
  readonly layout: Layout;
  readonly index: number;
  readonly uses: Uses;
  readonly early: Early;
  /** It will be told to retire. */
  readonly quits: boolean;
  readonly careless: Careless;
}

export const newWorker = (): WorkerLocal => ({
  phase: 'claim',
  slot: -1,
  value: 0,
  later: -1,
  laterValue: 0,
  permit: -1,
  found: false,
  retires: false,
  keepsStream: false,
});

export const workerActor = (model: WorkerModel) => ({
  step(words: Int32Array, local: WorkerLocal): boolean {
    local.phase = advance(model, words, local);
    return true;
  },
});

function advance(model: WorkerModel, words: Int32Array, local: WorkerLocal): WorkerLocal['phase'] {
  const { pool, layout, index, early } = model;
  const table = { layout, words };
  const gate = pool.gateAt(table, index);
  switch (local.phase) {
    case 'claim':
      return claim(model, words, local);
    case 'started':
      return start(model, words, local);
    case 'pull':
      pool.report(table, index, local.slot | realTable.PULL);
      return 'tellHost';
    case 'tellHost':
      pool.mustWake(words, pool.hostGate);
      if (layout.spinners > 0) local.permit = pool.takeSpinPermit(table, -(index + 1));
      return local.permit === -1 ? 'await' : 'awaitSpin';
    case 'awaitSpin':
      pool.returnSpinPermit(table, local.permit);
      local.permit = -1;
      return 'await';
    case 'await': {
      const flags = words[realTable.slotAt(layout, local.slot) + FLAGS] as number;
      return (flags & BLOCKS) !== 0 ? 'blocked' : 'complete';
    }
    case 'wakeEarly':
      pool.mustWake(words, pool.hostGate);
      return 'complete';
    case 'complete': {
      const reported = complete(model, words, local.slot, local.value);
      local.slot = -1;
      local.value = 0;
      if (!reported) return 'condemned';
      return early === 'only' ? 'claim' : 'wakeHost';
    }
    case 'wakeHost':
      pool.mustWake(words, pool.hostGate);
      return 'claim';
    case 'spin':
      local.permit = pool.takeSpinPermit(table, index + 1);
      return local.permit === -1 ? 'declare' : 'spinLook';
    case 'spinLook':
      local.found = pool.anythingQueued(table, index);
      return 'spinEnd';
    case 'spinEnd': {
      pool.returnSpinPermit(table, local.permit);
      const { found } = local;
      local.permit = -1;
      local.found = false;
      return found ? 'claim' : 'declare';
    }
    case 'declare':
      pool.declareSleep(words, gate);
      return 'look';
    case 'look':
      return pool.anythingQueued(table, index) ? wakeUp(model, words) : 'asleep';
    case 'asleep':
      if (!hears(model, words, local) && local.later !== -1) return endInSleep(model, words, local);
      // The message wakes it, or its gate was turned to WOKEN, so a wake-up is on its way to it.
      return wakeUp(model, words);
    case 'lingers':
      return endLater(model, words, local) ? 'claim' : 'condemned';
    case 'keep':
      pool.retireItself(words, gate);
      return 'keeps';
    case 'keeps':
      return claim(model, words, local);
    case 'retire':
      pool.retireItself(words, gate);
      return 'tellEnd';
    case 'tellEnd':
      if (model.careless === 'rings') pool.mustWake(words, pool.hostGate);
      else if (model.careless !== 'silent') Atomics.store(words, outboxOf(layout), 1);
      return 'retired';
    default:
      return 'complete';
  }
}

function claim(model: WorkerModel, words: Int32Array, local: WorkerLocal): WorkerLocal['phase'] {
  const { pool, layout, index, uses, early, careless } = model;
  const retires = hears(model, words, local);
  local.slot = retires ? claimOwn(model, words) : pool.claim({ layout, words }, index);
  if (local.slot !== -1) {
    if (uses.values) local.value = words[realTable.slotAt(layout, local.slot) + VALUE] as number;
    if (uses.flags) return 'started';
    return early === 'no' ? 'complete' : 'wakeEarly';
  }
  if (!retires) return layout.spinners > 0 ? 'spin' : 'declare';
  if (local.later !== -1 && careless !== 'hasty') return 'lingers';
  return local.keepsStream && careless !== 'forgetful' ? 'keep' : 'retire';
}

/** Has it heard by now that it shall retire? */
function hears({ layout, quits }: WorkerModel, words: Int32Array, local: WorkerLocal): boolean {
  if (quits && !local.retires) local.retires = Atomics.load(words, inboxOf(layout)) === 1;
  return local.retires;
}

function claimOwn({ pool, layout, index }: WorkerModel, words: Int32Array): number {
  const head = realTable.blockAt(layout, index) + MAIL_HEAD;
  const before = Atomics.load(words, head);
  const slot = pool.claimOwn({ layout, words }, index);
  const isMail = Atomics.load(words, head) !== before;
  assert.ok(slot === -1 || isMail, 'a worker that retires has claimed what waits for all');
  return slot;
}

function start({ layout }: WorkerModel, words: Int32Array, local: WorkerLocal): WorkerLocal['phase'] {
  const flags = words[realTable.slotAt(layout, local.slot) + FLAGS] as number;
  if ((flags & OPENS) !== 0) local.keepsStream = true;
  if ((flags & CLOSES) !== 0) local.keepsStream = false;
  if ((flags & LATER) !== 0) {
    local.later = local.slot;
    local.laterValue = local.value;
    local.slot = -1;
    local.value = 0;
    return 'claim';
  }
  if ((flags & TO_PULL) !== 0) return 'pull';
  return (flags & BLOCKS) !== 0 ? 'blocked' : 'complete';
}

function wakeUp({ pool, layout, index }: WorkerModel, words: Int32Array): WorkerLocal['phase'] {
  pool.cancelSleep(words, pool.gateAt({ layout, words }, index));
  return 'claim';
}

/** An asynchronous task ends while its worker sleeps; then the worker looks for work. */
function endInSleep(model: WorkerModel, words: Int32Array, local: WorkerLocal): WorkerLocal['phase'] {
  return endLater(model, words, local) ? wakeUp(model, words) : 'condemned';
}

/** False when it was condemned. */
function endLater(model: WorkerModel, words: Int32Array, local: WorkerLocal): boolean {
  const { pool } = model;
  const reported = complete(model, words, local.later, local.laterValue);
  local.later = -1;
  local.laterValue = 0;
  if (reported) pool.mustWake(words, pool.hostGate);
  return reported;
}

/** The result of a task is its value, negated, in the same word. */
function complete(model: WorkerModel, words: Int32Array, slot: number, value: number): boolean {
  const { pool, layout, index, uses } = model;
  if (uses.values) words[realTable.slotAt(layout, slot) + VALUE] = -value;
  return pool.complete({ layout, words }, index, slot);
}
