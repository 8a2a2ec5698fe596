import { z } from 'zod';

const count = (most: number) => z.coerce.number().int().min(1).max(most);

const digest = z
  .string()
  .regex(/^[a-z0-9-]+$/i, 'must be the name of a digest, such as sha512')
  .default('sha512');

const operations = (standard: number) => count(1_000_000).default(standard);
const bytes = (standard: number) => count(1 << 30).default(standard);
const iterations = count(2 ** 31 - 1).default(1_000);

/** By default a round takes some tens of milliseconds on two cores, so that sizes can take turns. */
export const parameterSchemas = {
  file: z.strictObject({
    operations: operations(100),
    bytes: bytes(102_400),
  }),
  crypto: z.strictObject({
    operations: operations(100),
    iterations,
    digest,
    keyBytes: count(65_536).default(64),
  }),
  zlib: z.strictObject({
    operations: operations(100),
    bytes: bytes(25_600),
    level: z.coerce.number().int().min(0).max(9).default(6),
  }),
  dns: z.strictObject({ operations: operations(32) }),
  /** Each step of a request costs about the same; pbkdf2 at full strength would dominate. */
  mixed: z.strictObject({
    operations: operations(32),
    inFlight: count(100_000).default(32),
    bytes: bytes(25_600),
    iterations,
    digest,
  }),
};

export type WorkloadName = keyof typeof parameterSchemas;
export const workloadNames = Object.keys(parameterSchemas) as WorkloadName[];

export type Parameters<Name extends WorkloadName> = z.infer<(typeof parameterSchemas)[Name]>;
export type AnyParameters = { [Name in WorkloadName]: Parameters<Name> }[WorkloadName];

export const isWorkloadName = (name: string): name is WorkloadName => Object.hasOwn(parameterSchemas, name);

/** `--scale` multiplies these parameters. */
const COST: readonly string[] = ['bytes', 'iterations'];

export interface ParameterOptions {
  /** Replaces the number of operations. */
  readonly operations?: number;
  /** Multiplies the cost of each operation. */
  readonly scale?: number;
  /** The user's values, which override `operations`. */
  readonly set?: Readonly<Record<string, string | number>>;
}

/** @throws {z.ZodError} when a value of `set` is unknown or out of range. */
export function resolveParameters<Name extends WorkloadName>(
  name: Name,
  { operations, scale = 1, set = {} }: ParameterOptions = {},
): Parameters<Name> {
  const requested = operations === undefined ? set : { operations, ...set };
  const chosen = parameterSchemas[name].parse(requested);
  const scaled = Object.entries(chosen).map(([key, value]) => [
    key,
    typeof value === 'number' && COST.includes(key) ? Math.max(1, Math.round(value * scale)) : value,
  ]);
  return Object.fromEntries(scaled) as Parameters<Name>;
}
