import { z } from 'zod';

/**
 * The parameters of the built-in workloads. By default the work takes some tens of milliseconds on two cores, so that sizes can take turns;
 * `--set NAME.PARAMETER=VALUE` changes any of them. The benchmark suite that the tool grew out of had 1,000 files, 100,000
 * iterations, 102,400 bytes to gzip and 50 lookups.
 */
const count = (most: number) => z.coerce.number().int().min(1).max(most);

const digest = z.string().regex(/^[a-z0-9-]+$/i, 'must be the name of a digest, such as sha512');

export const parameterSchemas = {
  file: z.strictObject({
    operations: count(1_000_000).default(100),
    bytes: count(1 << 30).default(102_400),
  }),
  crypto: z.strictObject({
    operations: count(1_000_000).default(100),
    iterations: count(2 ** 31 - 1).default(1_000),
    digest: digest.default('sha512'),
    keyBytes: count(65_536).default(64),
  }),
  zlib: z.strictObject({
    operations: count(1_000_000).default(100),
    bytes: count(1 << 30).default(25_600),
    level: z.coerce.number().int().min(0).max(9).default(6),
  }),
  dns: z.strictObject({
    operations: count(1_000_000).default(32),
  }),
  /** A request costs about as much of each kind as the others: pbkdf2 at full strength would drown them. */
  mixed: z.strictObject({
    operations: count(1_000_000).default(32),
    inFlight: count(100_000).default(32),
    bytes: count(1 << 30).default(25_600),
    iterations: count(2 ** 31 - 1).default(1_000),
    digest: digest.default('sha512'),
  }),
};

export type WorkloadName = keyof typeof parameterSchemas;
export const workloadNames = Object.keys(parameterSchemas) as WorkloadName[];

export type Parameters<Name extends WorkloadName> = z.infer<(typeof parameterSchemas)[Name]>;
export type AnyParameters = { [Name in WorkloadName]: Parameters<Name> }[WorkloadName];

export const isWorkloadName = (name: string): name is WorkloadName => Object.hasOwn(parameterSchemas, name);

/** Parameters that hold the cost of one operation: `--scale` multiplies them. */
const COST: readonly string[] = ['bytes', 'iterations'];

export interface ParameterOptions {
  /** Replaces the number of operations. */
  readonly operations?: number;
  /** Multiplies the cost of each operation. */
  readonly scale?: number;
  /** Values as the user wrote them; they win over `operations`. */
  readonly set?: Readonly<Record<string, string | number>>;
}

/**
 * The parameters of a built-in workload under the given options.
 *
 * @throws {z.ZodError} when a value of `set` is unknown or out of range.
 */
export function resolveParameters<Name extends WorkloadName>(
  name: Name,
  { operations, scale = 1, set = {} }: ParameterOptions = {},
): Parameters<Name> {
  const chosen = parameterSchemas[name].parse({
    ...(operations === undefined ? {} : { operations }),
    ...set,
  });
  const scaled = Object.entries(chosen).map(([key, value]) => [
    key,
    typeof value === 'number' && COST.includes(key) ? Math.max(1, Math.round(value * scale)) : value,
  ]);
  return Object.fromEntries(scaled) as Parameters<Name>;
}
