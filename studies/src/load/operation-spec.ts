import { PlimsollError } from '@plimsoll/lab';

/**
 * Single operations of the pool, as a request of a server does them; the workloads of `parameters.ts` are rounds of
 * many. Plain data, so that it can be sent to the process that runs it.
 */
export type OperationSpec =
  | {
      readonly kind: 'pbkdf2';
      readonly iterations: number;
      readonly keyBytes: number;
      readonly digest: string;
    }
  | { readonly kind: 'scrypt'; readonly cost: number }
  | { readonly kind: 'gzip' | 'randomBytes' | 'readFile'; readonly bytes: number }
  | { readonly kind: 'stat' }
  | { readonly kind: 'lookup'; readonly name: string }
  | { readonly kind: 'sleep'; readonly ms: number }
  | { readonly kind: 'module'; readonly url: string; readonly scale: number };

/** What an operation is called where the user names it. */
export const operationNames = [
  'pbkdf2',
  'scrypt',
  'gzip',
  'randomBytes',
  'readFile',
  'stat',
  'lookup',
  'sleep:MS',
] as const;

/** Of the server that the tool grew out of 100,000: a table of ten sizes takes more than ten minutes a generation with these. */
export const DEFAULT_ITERATIONS = 1000;
const BYTES = 102_400;
/** scrypt's own default in Node. */
const SCRYPT_COST = 16_384;
const LONGEST_SLEEP_MS = 60_000;

export interface OperationOptions {
  /** Of pbkdf2. */
  readonly iterations: number;
  /** Multiplies the cost of an operation: iterations, bytes, milliseconds. */
  readonly scale: number;
}

/**
 * The operation that a name stands for. `lookup:NAME` looks up another name than localhost.
 *
 * @throws {PlimsollError} PLIMSOLL_USAGE for an unknown one.
 * @example
 * readOperation('sleep:20', { iterations: 1, scale: 1 }); // { kind: 'sleep', ms: 20 }
 */
export function readOperation(text: string, { iterations, scale }: OperationOptions): OperationSpec {
  const scaled = (cost: number): number => Math.max(1, Math.round(cost * scale));
  switch (text) {
    case 'pbkdf2':
      return { kind: 'pbkdf2', iterations: scaled(iterations), keyBytes: 512, digest: 'sha512' };
    case 'scrypt':
      // scrypt takes powers of two.
      return { kind: 'scrypt', cost: 2 ** Math.max(1, Math.round(Math.log2(SCRYPT_COST * scale))) };
    case 'gzip':
    case 'randomBytes':
    case 'readFile':
      return { kind: text, bytes: scaled(BYTES) };
    case 'stat':
      return { kind: 'stat' };
    case 'lookup':
      return { kind: 'lookup', name: 'localhost' };
  }
  const name = /^lookup:([\w.-]+)$/.exec(text)?.[1];
  if (name !== undefined) return { kind: 'lookup', name };
  const ms = Number(/^sleep:(\d+(?:\.\d+)?)$/.exec(text)?.[1] ?? Number.NaN);
  if (ms > 0 && ms <= LONGEST_SLEEP_MS) return { kind: 'sleep', ms: ms * scale };
  throw new PlimsollError(
    'PLIMSOLL_USAGE',
    `operation: must be one of ${operationNames.join(', ')} (up to ${LONGEST_SLEEP_MS}), lookup:NAME, or the path of a module (./my-operation.mjs), not ${JSON.stringify(text)}`,
  );
}

/** One operation, ready to be done any number of times at once. */
export interface PreparedOperation {
  run(): Promise<void>;
  close(): Promise<void>;
}
