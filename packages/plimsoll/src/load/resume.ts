import { isDeepStrictEqual } from 'node:util';
import { PlimsollError } from '../errors.js';
import type { BlockRun } from '../lab/blocks.js';
import type { LoadResult } from '../results/load.js';
import { methodOf } from './method.js';
import { AS_IT_IS, type LoadPlan, type Table } from './options.js';
import type { LoadMeasurement } from './run.js';

/**
 * Make sure that an earlier result is a part of what is to be measured, and was measured here.
 *
 * @throws {PlimsollError} PLIMSOLL_USAGE naming the first thing that differs.
 */
export function assertContinues(
  earlier: LoadResult,
  options: LoadPlan,
  environment: LoadResult['environment'],
): void {
  const wanted: Record<string, unknown> = {
    ...methodOf(options),
    node: environment.node.version,
    cpus: environment.cpu.effectiveCpus,
  };
  const found: Record<string, unknown> = {
    ...earlier.method,
    node: earlier.environment.node.version,
    cpus: earlier.environment.cpu.effectiveCpus,
  };
  for (const [name, value] of Object.entries(wanted))
    if (!isDeepStrictEqual(value, found[name]))
      throw new PlimsollError(
        'PLIMSOLL_USAGE',
        `--resume: the file holds another measurement (${name}: ${JSON.stringify(found[name])}, not ${JSON.stringify(value)}); ` +
          'give the options that it was started with, or another file',
      );
}

/** The runs of one table of an earlier result, in the order in which they were done. */
export function runsToResume(earlier: LoadResult | null, table: Table): BlockRun<LoadMeasurement>[] {
  const cells = (earlier?.cells ?? []).filter(
    ({ mode, case: name }) => mode === table.mode && name === table.traffic.name,
  );
  return cells
    .flatMap(({ runs, size }) => runs.map((run) => ({ run, size: size ?? AS_IT_IS })))
    .sort((a, b) => a.run.sequence - b.run.sequence)
    .map(({ run: { sequence, block, order, twin, disturbances, superseded, ...result }, size }) => ({
      block,
      order,
      arm: twin ? 'twin' : size,
      disturbances,
      result,
      superseded,
    }));
}
