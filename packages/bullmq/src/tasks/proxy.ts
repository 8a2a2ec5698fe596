import { badType, callsByName, plainCopy } from '@plimsoll/pool/internal';
import { checkRun, type FleetRunOptions } from '../shared/options.js';

type Run = (items: unknown[], options: FleetRunOptions) => Promise<unknown>;

/**
 * An object whose every member is a function that runs the task of that name with the list of its arguments.
 *
 * @param fallback the name without one in `options`
 * @throws TypeError or RangeError for bad options, and for those that belong to one call
 */
export function proxyOf(run: Run, fallback: string, options: FleetRunOptions): object {
  const copy = plainCopy(options);
  for (const name of ['name', 'jobId'] as const) {
    if (copy[name] !== undefined)
      throw badType(`options.${name}`, copy[name], 'left out: a proxy has many calls');
  }
  checkRun(fallback, copy);
  return callsByName(
    (name) =>
      (...items: unknown[]) =>
        run(items, { ...copy, name }),
  );
}
