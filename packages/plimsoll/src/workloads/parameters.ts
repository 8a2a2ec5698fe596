import { usage } from '../errors.js';

/** A round takes some tens of milliseconds on two cores, so that sizes can take turns. */
const DEFAULTS = {
  file: { operations: 100, bytes: 102_400 },
  crypto: { operations: 100, iterations: 1000, digest: 'sha512', keyBytes: 64 },
  zlib: { operations: 100, bytes: 25_600, level: 6 },
  dns: { operations: 32 },
  /** Each step of a request costs about the same; pbkdf2 at full strength would dominate. */
  mixed: { operations: 32, inFlight: 32, bytes: 25_600, iterations: 1000, digest: 'sha512' },
};

export type WorkloadName = keyof typeof DEFAULTS;
export const workloadNames = Object.keys(DEFAULTS) as WorkloadName[];

export type Parameters<Name extends WorkloadName> = (typeof DEFAULTS)[Name];

export const isWorkloadName = (name: string): name is WorkloadName => Object.hasOwn(DEFAULTS, name);

export interface ParameterOptions {
  readonly operations?: number | undefined;
  readonly scale?: number;
  /** The user's values, which override `operations`. */
  readonly set?: Readonly<Record<string, string | number>>;
}

/** @throws {PlimsollError} PLIMSOLL_USAGE when a parameter of `set` is unknown, or no whole number from 1. */
export function resolveParameters<Name extends WorkloadName>(
  name: Name,
  { operations, scale = 1, set = {} }: ParameterOptions = {},
): Parameters<Name> {
  const defaults = new Map<string, string | number>(Object.entries(DEFAULTS[name]));
  const overrides = Object.entries(set).map(([key, value]) => {
    const usual = defaults.get(key);
    if (usual === undefined)
      throw usage(`parameters of ${name}: there is no "${key}", only ${[...defaults.keys()].join(', ')}`);
    if (typeof usual === 'string') return [key, value];
    if (!/^[1-9]\d*$/.test(String(value)))
      throw usage(`parameters of ${name}.${key}: must be a whole number from 1, not "${value}"`);
    return [key, Number(value)];
  });
  const all = { ...DEFAULTS[name], operations: operations ?? DEFAULTS[name].operations };
  const chosen: Record<string, string | number> = { ...all, ...Object.fromEntries(overrides) };
  // What an operation costs; counts stay.
  for (const key of ['bytes', 'iterations'])
    if (typeof chosen[key] === 'number') chosen[key] = Math.max(1, Math.round(chosen[key] * scale));
  return chosen as Parameters<Name>;
}
