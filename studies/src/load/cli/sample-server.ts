import { PlimsollError } from '@plimsoll/lab';
import { parseCount, parsePositive } from '../../common/values.js';
import { OPERATION_DEFAULTS, operationOf, type SampleOperation } from '../operation.js';
import { type Mode, modes } from '../target/sample.js';

/** Flags of the sample server's operation, shared by `load` and `serve`. */
export interface OperationFlags {
  ops: string;
  operation: string;
  iterations: string;
  scale: string;
}

export const OPERATION_FLAGS: OperationFlags = {
  ops: String(OPERATION_DEFAULTS.operationsPerRequest),
  operation: OPERATION_DEFAULTS.operation,
  iterations: String(OPERATION_DEFAULTS.iterations),
  scale: String(OPERATION_DEFAULTS.scale),
};

/** The operation as the flags describe it. @throws {PlimsollError} PLIMSOLL_USAGE */
export const parseOperation = (flags: Partial<OperationFlags>): SampleOperation => ({
  operation: flags.operation,
  iterations:
    flags.iterations === undefined ? undefined : parseCount(flags.iterations, '--iterations', 1, 2 ** 31 - 1),
  scale: flags.scale === undefined ? undefined : parsePositive(flags.scale, '--scale', 1000),
  operationsPerRequest: flags.ops === undefined ? undefined : parseCount(flags.ops, '--ops', 1, 10_000),
});

/** The same, ready for the server. */
export const readOperationFlags = (flags: OperationFlags): ReturnType<typeof operationOf> =>
  operationOf(parseOperation(flags));

/** @throws {PlimsollError} PLIMSOLL_USAGE */
export function parseMode(text: string): Mode {
  const mode = modes.find((name) => name === text.trim());
  if (mode !== undefined) return mode;
  throw new PlimsollError(
    'PLIMSOLL_USAGE',
    `--mode: must be ${modes.join(', ')}, not ${JSON.stringify(text)}`,
  );
}
