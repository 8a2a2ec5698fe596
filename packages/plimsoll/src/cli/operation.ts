import { existsSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { PlimsollError } from '../errors.js';
import { DEFAULT_ITERATIONS, type OperationSpec, readOperation } from '../workloads/operations.js';
import { looksLikePath } from './targets.js';
import { parseCount, parsePositive } from './values.js';

/** Flags of the sample server's operation, shared by `load` and `serve`. */
export interface OperationFlags {
  ops: string;
  operation: string;
  iterations: string;
  scale: string;
}

export const OPERATION_DEFAULTS = {
  ops: '10',
  operation: 'pbkdf2',
  iterations: String(DEFAULT_ITERATIONS),
  scale: '1',
} as const;

/**
 * What a request of the sample server does: an operation by name, or the default export of a module by path.
 *
 * @throws {PlimsollError} PLIMSOLL_USAGE, or PLIMSOLL_BAD_WORKLOAD for a path with no module.
 */
export function parseOperation(flags: OperationFlags): {
  operation: OperationSpec;
  operationsPerRequest: number;
} {
  const iterations = parseCount(flags.iterations, '--iterations', 1, 2 ** 31 - 1);
  const scale = parsePositive(flags.scale, '--scale', 1000);
  const operationsPerRequest = parseCount(flags.ops, '--ops', 1, 10_000);
  const operation = looksLikePath(flags.operation)
    ? moduleAt(flags.operation, scale)
    : readOperation(flags.operation, { iterations, scale });
  if (operation.kind === 'sleep' && process.platform === 'win32')
    throw new PlimsollError('PLIMSOLL_USAGE', '--operation: sleep needs FIFOs, which Windows has not');
  return { operation, operationsPerRequest };
}

function moduleAt(path: string, scale: number): OperationSpec {
  const absolute = resolve(path);
  if (!existsSync(absolute) || !statSync(absolute).isFile())
    throw new PlimsollError('PLIMSOLL_BAD_WORKLOAD', `--operation: there is no module at ${path}`);
  return { kind: 'module', url: pathToFileURL(absolute).href, scale };
}
