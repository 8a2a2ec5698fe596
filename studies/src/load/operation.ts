import { existsSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { formatNumber, looksLikePath, PlimsollError } from '@plimsoll/lab';
import { checkCount, checkPositive } from '../common/values.js';
import { DEFAULT_ITERATIONS, type OperationSpec, readOperation } from './operation-spec.js';

/** What a request of the sample server does. */
export interface SampleOperation {
  /** `pbkdf2`, `scrypt`, `gzip`, `randomBytes`, `readFile`, `stat`, `lookup`, `sleep:MS`, or the path of a module; by default pbkdf2. */
  readonly operation?: string | undefined;
  /** Of pbkdf2; by default 1,000. */
  readonly iterations?: number | undefined;
  /** Multiplies the cost of an operation (iterations, bytes, milliseconds); by default 1. */
  readonly scale?: number | undefined;
  /** Operations that a request starts; by default 10. */
  readonly operationsPerRequest?: number | undefined;
}

export const OPERATION_DEFAULTS = {
  operation: 'pbkdf2',
  iterations: DEFAULT_ITERATIONS,
  scale: 1,
  operationsPerRequest: 10,
} as const;

/**
 * The operation that a request of the sample server does: a built-in one by name, or the default export of a module by path.
 *
 * @throws {PlimsollError} PLIMSOLL_USAGE, or PLIMSOLL_BAD_WORKLOAD for a path without a module.
 */
export function operationOf(chosen: SampleOperation): {
  operation: OperationSpec;
  operationsPerRequest: number;
  /** Both in words. */
  description: string;
} {
  const name = chosen.operation ?? OPERATION_DEFAULTS.operation;
  const iterations = checkCount(
    chosen.iterations ?? OPERATION_DEFAULTS.iterations,
    'iterations',
    1,
    2 ** 31 - 1,
  );
  const scale = checkPositive(chosen.scale ?? OPERATION_DEFAULTS.scale, 'scale', 1000);
  const operationsPerRequest = checkCount(
    chosen.operationsPerRequest ?? OPERATION_DEFAULTS.operationsPerRequest,
    'operationsPerRequest',
    1,
    10_000,
  );
  const operation = looksLikePath(name) ? moduleAt(name, scale) : readOperation(name, { iterations, scale });
  if (operation.kind === 'sleep' && process.platform === 'win32')
    throw new PlimsollError('PLIMSOLL_USAGE', 'operation sleep needs FIFOs, which Windows does not have');
  return {
    operation,
    operationsPerRequest,
    description: describeRequest(operation, operationsPerRequest),
  };
}

function moduleAt(path: string, scale: number): OperationSpec {
  const absolute = resolve(path);
  if (!existsSync(absolute) || !statSync(absolute).isFile())
    throw new PlimsollError('PLIMSOLL_BAD_WORKLOAD', `operation: there is no module at ${path}`);
  return { kind: 'module', url: pathToFileURL(absolute).href, scale };
}

/** What a request of the sample server starts. */
const describeRequest = (operation: OperationSpec, operationsPerRequest: number): string =>
  `${operationsPerRequest} × ${describeOperation(operation)}`;

/** An operation in words, without saying where a module lies. */
function describeOperation(spec: OperationSpec): string {
  switch (spec.kind) {
    case 'pbkdf2':
      return `pbkdf2, ${formatNumber(spec.iterations)} iterations, ${spec.digest}, ${spec.keyBytes} bytes`;
    case 'scrypt':
      return `scrypt, cost ${formatNumber(spec.cost)}`;
    case 'gzip':
    case 'randomBytes':
    case 'readFile':
      return `${spec.kind}, ${formatNumber(spec.bytes)} bytes`;
    case 'stat':
      return 'fs.stat';
    case 'lookup':
      return spec.name === 'localhost' ? 'dns.lookup of localhost' : 'dns.lookup';
    case 'sleep':
      return `a pool thread held for ${spec.ms} ms, no CPU`;
    case 'module':
      return 'the default export of a module';
  }
}
