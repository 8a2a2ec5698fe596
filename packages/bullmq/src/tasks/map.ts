import { count, flag, mapOver, plainCopy, Rejection } from '@plimsoll/pool/internal';
import { checkRun, type FleetMapOptions, type FleetRunOptions } from '../shared/options.js';

type Run = (item: unknown, options: FleetRunOptions) => Promise<unknown>;

const DEFAULT_CONCURRENCY = 64;

/**
 * Runs a task for each item. The end of the loop cancels what is under way.
 *
 * @param fallback the name without one in `options`
 * @throws TypeError or RangeError for what is wrong in the options or the items
 */
export function mapOf(
  run: Run,
  fallback: string,
  items: unknown,
  options: FleetMapOptions,
): AsyncIterableIterator<unknown, undefined> {
  const { concurrency, ordered, signal, ...each } = plainCopy(options);
  const limits = {
    signal: checkRun(fallback, { ...each, signal }).signal,
    concurrency: count('options.concurrency', concurrency, 1, Number.MAX_SAFE_INTEGER) ?? DEFAULT_CONCURRENCY,
    ordered: flag('options.ordered', ordered) ?? true,
  };
  return mapOver(items, limits, (item, settle) => {
    const controller = new AbortController();
    run(item, { ...each, signal: controller.signal }).then(settle, (error: unknown) =>
      settle(new Rejection(error)),
    );
    return (reason) => controller.abort(reason);
  });
}
