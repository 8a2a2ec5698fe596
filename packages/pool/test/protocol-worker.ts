import type * as realGate from '#pool/shared/gate.js';
import { FLAGS, type Layout } from '#pool/shared/layout.js';
import * as realTable from '#pool/shared/table.js';

/** The protocol under test; a mutant replaces one function. */
export type Protocol = typeof realTable & typeof realGate;

/** Bits of the model's FLAGS word. */
export const TO_PULL = 1;
export const BLOCKS = 2;

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
    | 'condemned';
  slot: number;
  token: number;
  found: boolean;
}

/** When a worker wakes the host: before its result is there, too, or only then, which is wrong. */
export type Early = 'no' | 'too' | 'only';

/** A worker of the modelled world: it does what `worker/loop.ts` does, one shared operation after another. */
export interface WorkerModel {
  readonly pool: Protocol;
  readonly layout: Layout;
  readonly index: number;
  /** Are there tasks whose FLAGS say anything? */
  readonly needsFlags: boolean;
  readonly early: Early;
}

export const newWorker = (): WorkerLocal => ({ phase: 'claim', slot: -1, token: -1, found: false });

export const workerActor = (model: WorkerModel) => ({
  step(words: Int32Array, local: WorkerLocal): boolean {
    local.phase = advance(model, words, local);
    return true;
  },
});

function advance(
  { pool, layout, index, needsFlags, early }: WorkerModel,
  words: Int32Array,
  local: WorkerLocal,
): WorkerLocal['phase'] {
  const table = { layout, words };
  const gate = pool.gateAt(table, index);
  switch (local.phase) {
    case 'claim':
      local.slot = pool.claim(table, index);
      if (local.slot === -1) return layout.spinners > 0 ? 'spin' : 'declare';
      if (needsFlags) return 'started';
      return early === 'no' ? 'complete' : 'wakeEarly';
    case 'started': {
      const flags = words[realTable.slotAt(layout, local.slot) + FLAGS] as number;
      if ((flags & TO_PULL) !== 0) return 'pull';
      return (flags & BLOCKS) !== 0 ? 'blocked' : 'complete';
    }
    case 'pull':
      pool.report(table, index, local.slot | realTable.PULL);
      return 'tellHost';
    case 'tellHost':
      pool.mustWake(words, pool.hostGate);
      if (layout.spinners > 0) local.token = pool.takeToken(table, -(index + 1));
      return local.token === -1 ? 'await' : 'awaitSpin';
    case 'awaitSpin':
      pool.returnToken(table, local.token);
      local.token = -1;
      return 'await';
    case 'await': {
      const flags = words[realTable.slotAt(layout, local.slot) + FLAGS] as number;
      return (flags & BLOCKS) !== 0 ? 'blocked' : 'complete';
    }
    case 'wakeEarly':
      pool.mustWake(words, pool.hostGate);
      return 'complete';
    case 'complete': {
      const reported = pool.complete(table, index, local.slot);
      local.slot = -1;
      if (!reported) return 'condemned';
      return early === 'only' ? 'claim' : 'wakeHost';
    }
    case 'wakeHost':
      pool.mustWake(words, pool.hostGate);
      return 'claim';
    case 'spin':
      local.token = pool.takeToken(table, index + 1);
      return local.token === -1 ? 'declare' : 'spinLook';
    case 'spinLook':
      local.found = pool.anythingQueued(table, index);
      return 'spinEnd';
    case 'spinEnd': {
      pool.returnToken(table, local.token);
      const { found } = local;
      local.token = -1;
      local.found = false;
      return found ? 'claim' : 'declare';
    }
    case 'declare':
      pool.declareSleep(words, gate);
      return 'look';
    case 'look':
      return pool.anythingQueued(table, index) && pool.cancelSleep(words, gate) ? 'claim' : 'asleep';
    case 'asleep':
      // Its gate was turned to WOKEN, so a wake-up is on its way to it.
      return pool.cancelSleep(words, gate) ? 'claim' : 'asleep';
    default:
      return 'complete';
  }
}
