import { availableParallelism } from 'node:os';
import { type Geometry, layoutOf } from '../shared/layout.js';
import { tableOf } from '../shared/memory.js';
import { HANDLER } from '../shared/messages.js';
import { Backlog } from './backlog.js';
import { CustomQueue } from './custom-queue.js';
import { ObservedInputs, ObservedResults, Observer } from './explain/observer.js';
import { HandlerNames } from './handler-names.js';
import { Inputs } from './inputs.js';
import { Lanes } from './lanes.js';
import { Ledger } from './ledger.js';
import type { FilledOptions } from './options.js';
import { Results } from './results.js';
import { Slots } from './slots.js';
import { TaskViews } from './task-views.js';
import type { WorkerHandle } from './worker-handle.js';

const SLOT_WORDS = 128;
const FEWEST_SLOTS = 1024;
/** Memory that is not used until then costs next to nothing. */
const STUCK_WORKERS = 128;

/** The table is small: slots for what is in flight; what waits longer stays on the host. */
export function geometryFor(options: FilledOptions): Geometry {
  const inFlight = options.maxThreads * options.concurrentTasksPerWorker * 2;
  return {
    slots: Math.max(FEWEST_SLOTS, 2 ** Math.ceil(Math.log2(Math.min(inFlight, 2 ** 15)))),
    // A killed worker keeps its block until its thread has exited, which one in a native call that never returns does not;
    // its replacement needs another one meanwhile.
    workers: options.maxThreads * 2 + STUCK_WORKERS,
    slotWords: SLOT_WORDS,
    mailbox: Math.max(16, 2 ** Math.ceil(Math.log2(Math.min(options.concurrentTasksPerWorker * 2, 1024)))),
    spinners: Math.max(0, availableParallelism() - 1),
  };
}

export type PoolState = ReturnType<typeof stateFor>;

/** The books of a pool, which start nothing and wait for nothing: made before the parts that do, and handed down to them. */
/** @param lifecycle Are `setup` and `dispose` of worker files called? */
export function stateFor(
  options: FilledOptions,
  geometry: Geometry,
  onSettled: () => void,
  lifecycle = true,
) {
  const table = tableOf(layoutOf(geometry));
  /** Those that may take tasks, those that still start included. `Crew` keeps the list. */
  const workers: WorkerHandle[] = [];
  const handlers = new HandlerNames((id, { filename, name, call }) => {
    for (const worker of workers) worker.post([HANDLER, id, filename, name, call]);
  });
  const views = new TaskViews(handlers);
  const ledger = new Ledger(options.concurrentTasksPerWorker, onSettled);
  const observer = options.explain ? new Observer(table, workers, handlers) : undefined;
  const inputs = observer ? new ObservedInputs(table, workers, observer) : new Inputs(table, workers);
  const results = observer ? new ObservedResults(table, observer) : new Results(table);
  const slots = new Slots(table, inputs);
  const custom = options.taskQueue && new CustomQueue(options.taskQueue, views, ledger);
  const lanes = new Lanes(workers);
  const backlog = new Backlog(slots, inputs, ledger, lanes, custom);
  return {
    options,
    table,
    workers,
    handlers,
    views,
    ledger,
    inputs,
    results,
    slots,
    backlog,
    observer,
    lifecycle,
  };
}
