import { now } from '../shared/clock.js';
import { wakeFor, wakeFurther } from '../shared/gate.js';
import { announce, anythingDone, queuedEntries } from '../shared/table.js';
import type { Crew } from './crew.js';
import type { Dispatch } from './dispatch.js';
import type { Pumped } from './pump.js';
import type { PoolState } from './state.js';
import type { Timing } from './timing.js';

const DRAIN_AT_ONCE = 256;

/** What the pump does with the table and the workers, each time that it looks. */
export function roundsOf(
  { table, workers, ledger, backlog }: PoolState,
  crew: Crew,
  dispatch: Dispatch,
  timing: Timing | undefined,
): Pumped {
  const wakeWorkers = (): void => {
    announce(table);
    wakeFor(table, queuedEntries(table), workers);
  };
  return {
    get outstanding() {
      return ledger.outstanding;
    },
    get hasSpareCore() {
      return crew.hasSpareCore;
    },
    get queued() {
      return queuedEntries(table);
    },
    turn() {
      timing?.atTime(now());
      let ended = 0;
      for (const worker of workers) ended += dispatch.drain(worker, DRAIN_AT_ONCE);
      if (backlog.queue.size > 0) dispatch.refill();
      return ended;
    },
    anythingDone() {
      for (const worker of workers) if (anythingDone(table, worker.index)) return true;
      return false;
    },
    wakeWorkers,
    wakeIfAllSleep() {
      announce(table);
      if (!crew.isAnyAwake) wakeWorkers();
    },
    wakeFurther: () => wakeFurther(queuedEntries(table), workers),
  };
}
