import { AsyncLocalStorage } from 'node:async_hooks';
import { isMovable } from '../shared/move.js';
import { count, flag } from './checks.js';
import type { Core } from './core.js';
import { mapOver } from './map-over.js';
import type { RunOptions } from './options.js';
import { type Checked, check, extrasOf, handlerOf, isPlain, ownOf, parcelOf, watchOf } from './submit.js';
import { type Extras, Rejection, type Task, type Watch } from './task.js';

/** Options of `map()`: those of `run()` for each item, and these. */
export interface MapOptions extends Omit<RunOptions, 'transferList'> {
  /**
   * Items in memory at most: taken from the source, and whose result the loop has not got. Default: twice as many as
   * workers may run at once.
   */
  readonly concurrency?: number | undefined;
  /** Results in the order of the items; else each as soon as it is there. Default: true. */
  readonly ordered?: boolean | undefined;
}

const MOST = Number.MAX_SAFE_INTEGER;

/** @throws TypeError or RangeError for what is wrong in the options or the items */
export function mapOf(
  core: Core,
  items: unknown,
  options: MapOptions,
): AsyncIterableIterator<unknown, undefined> {
  const own = ownOf(options);
  const { maxThreads, concurrentTasksPerWorker, maxQueue } = core.options;
  const running = maxThreads * concurrentTasksPerWorker;
  const concurrency =
    count('options.concurrency', own.concurrency, 1, MOST) ?? Math.min(running * 2, running + maxQueue);
  const ordered = flag('options.ordered', own.ordered) ?? true;
  const checked = check(core, own);
  const { signal, grace } = checked;
  const handler = handlerOf(core, checked);
  /** Calls something where the loop was begun: there are the stores that travel with its tasks. */
  let there: ((call: () => Task) => Task) | undefined;
  return mapOver(items, { concurrency, ordered, signal }, (item, settle) => {
    const resolve = (value: unknown): void => {
      const isFailed = value instanceof Rejection;
      settle(isFailed ? value.reason : value, isFailed);
    };
    if (core.escort !== undefined) there ??= AsyncLocalStorage.snapshot();
    const start = (): Task => startItem(core, item, handler, checked, resolve);
    const task = there === undefined ? start() : there(start);
    return (reason, why) => {
      // Without the signal nobody has said that what runs shall end: it goes on, unless it can be asked.
      if (why === 'aborted' || (!core.withdraw(task, reason) && grace > 0)) core.end(task, reason);
    };
  });
}

/** The signal is that of the whole loop; a timeout is each item's own. @throws why the task is refused */
function startItem(
  core: Core,
  item: unknown,
  handler: number,
  checked: Checked,
  resolve: (value: unknown) => void,
): Task {
  if (isPlain(checked) && !isMovable(item)) return send(core, item, handler, undefined, resolve);
  const parcel = parcelOf(item, []);
  const extras = extrasOf(parcel, checked);
  return send(core, parcel.value, handler, extras, resolve, watchOf({ ...checked, signal: undefined }));
}

function send(
  core: Core,
  value: unknown,
  handler: number,
  extras: Extras | undefined,
  resolve: (value: unknown) => void,
  ownWatch?: Watch,
): Task {
  const { escort } = core;
  if (escort === undefined || handler === -1) return core.start(value, handler, extras, resolve, ownWatch);
  return escort.start(value, handler, resolve, (packed, carried, onEnd) =>
    core.start(packed, carried, extras, onEnd, ownWatch),
  );
}
