import { isMovable } from '../shared/move.js';
import { cancel, END, LEAVE } from './cancel.js';
import type { Core } from './core.js';
import { type Iteration, mapOver } from './iterate.js';
import { count, flag, type RunOptions } from './options.js';
import { parcelOf, unmoved } from './parcel.js';
import { check, extrasOf, handlerOf, plainCopy } from './submit.js';

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

export function mapOf(core: Core, items: unknown, options: MapOptions): Iteration {
  const copy = plainCopy(options);
  const { maxThreads, concurrentTasksPerWorker, maxQueue } = core.options;
  const running = maxThreads * concurrentTasksPerWorker;
  const most = count('options.concurrency', copy.concurrency, 1, Number.MAX_SAFE_INTEGER);
  const concurrency = most ?? Math.min(running * 2, running + maxQueue);
  const ordered = flag('options.ordered', copy.ordered) ?? true;
  const checked = check(core, copy);
  const { signal, grace } = checked;
  const keepsContext = (): boolean => core.escort !== undefined || core.callsHost;
  return mapOver(items, { concurrency, ordered, signal, keepsContext }, (item, settle) => {
    const parcel = isMovable(item) ? parcelOf([item]) : unmoved(item);
    const extras = extrasOf(parcel, checked);
    // That of the whole loop; a timeout is each item's own.
    if (extras !== undefined) extras.signal = undefined;
    const task = core.start(parcel.value, handlerOf(core, checked), extras, settle);
    return (reason, why) => {
      // Without the signal no caller has ended the running tasks: they continue, unless they can be asked.
      if (why === 'aborted' || (!cancel(core, task, reason, LEAVE) && grace > 0))
        cancel(core, task, reason, END);
    };
  });
}
