import { isDeepStrictEqual } from 'node:util';
import { type ErrorCode, evenLooks, PlimsollError, type Round, type Stop } from '@plimsoll/lab';
import type { MeasuredTable } from './measured-table.js';
import { methodOf } from './method.js';
import { AS_IT_IS, type LoadCase, type LoadPlan, type Table } from './options.js';
import type { LoadResult, LoadRound, LoadTable } from './result.js';
import type { LoadMeasurement } from './slice.js';
import type { SliceTraffic } from './slices.js';

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

/** One table of an earlier result, as far as its generations were complete; `null` when there was none. */
export function tableToResume(earlier: LoadResult | null, table: Table): MeasuredTable | null {
  const isOfTable = ({ mode, case: name }: { readonly mode: string; readonly case: string }): boolean =>
    mode === table.mode && name === table.traffic.name;
  const found = earlier?.tables.find(isOfTable);
  if (earlier === null || found === undefined || found.method.generations === 0) return null;
  const { method, lost } = found;
  const rounds = earlier.cells
    .filter(isOfTable)
    .flatMap(({ rounds, size }) => rounds.map((round) => roundOf(round, size ?? AS_IT_IS)))
    .filter(({ generation }) => isFinished(method.stop) || generation < method.generations)
    .sort((a, b) => a.generation - b.generation || a.block - b.block || a.order - b.order);
  return {
    table,
    isolated: method.mode === 'isolated',
    slices: {
      traffic: sliceOf(table.traffic, method),
      blocks: method.blocks,
      mostGenerations: method.mostGenerations,
    },
    outcome: {
      rounds,
      generations: method.generations,
      lost: new Map(
        lost.map(({ size, code, message }) => [size, new PlimsollError(code as ErrorCode, message)]),
      ),
      looks: evenLooks(method.generations, method.mostGenerations),
      disturbances: [],
      stop: method.stop,
      error: undefined,
    },
    seconds: method.seconds,
  };
}

/** Whether a table that ended so is not measured any further. */
export const isFinished = (stop: Stop): boolean => ['settled', 'time', 'generations'].includes(stop);

function roundOf(
  { generation, block, order, twin, ...result }: LoadRound,
  size: number,
): Round<LoadMeasurement> {
  return { generation, block, order, arm: twin ? 'twin' : size, result };
}

function sliceOf(traffic: LoadCase, { requests, sliceSeconds }: LoadTable['method']): SliceTraffic {
  return traffic.kind === 'closed'
    ? { kind: 'closed', parallel: traffic.parallel, requests: requests ?? traffic.requests }
    : {
        kind: 'open',
        rate: traffic.rate,
        durationMs: sliceSeconds === null ? traffic.durationMs : sliceSeconds * 1000,
      };
}
