import type { PoolErrorCode } from '../errors.js';
import { badType } from '../errors.js';
import { count, duration } from './checks.js';

/** How a worker may end while it has a task. */
export type WorkerEnd = 'crash' | 'oom' | 'exit';

/** When a task that died with its worker runs again. Do not use it for what must not be done twice. */
export interface RetryOptions {
  /** 'crash': an uncaught error; 'oom': a limit of `resourceLimits`; 'exit': `process.exit()`. Default: all of them. */
  readonly on?: readonly WorkerEnd[] | undefined;
  /** How often it runs again at most. Default: 2. */
  readonly max?: number | undefined;
  /** Milliseconds before it runs again, twice as many each further time. Default: 0. */
  readonly backoff?: number | undefined;
}

/** When a function that ends one worker after another is not called any more for a while. */
export interface QuarantineOptions {
  /** Workers that have ended while they ran the function. Default: 3. */
  readonly deaths?: number | undefined;
  /** Milliseconds in which they did. Default: 60000. */
  readonly within?: number | undefined;
  /** Milliseconds for which its tasks are rejected. Default: 30000. */
  readonly pause?: number | undefined;
}

/** When no worker is started any more for a while. */
export interface BreakerOptions {
  /** Workers that have ended in a row before they were ready; Infinity: never. Default: 5. */
  readonly failures?: number | undefined;
  /** Milliseconds for which none is started. Default: 1000. */
  readonly pause?: number | undefined;
}

type Filled<Options> = { readonly [Name in keyof Options]-?: NonNullable<Options[Name]> };
export type Quarantining = Filled<QuarantineOptions>;
export type Breaking = Filled<BreakerOptions>;

/** As the pool works with it. */
export interface RetryPolicy {
  readonly codes: readonly PoolErrorCode[];
  readonly max: number;
  readonly backoff: number;
}

const CODES: Readonly<Record<WorkerEnd, PoolErrorCode>> = {
  crash: 'PLIMSOLL_POOL_WORKER_CRASHED',
  oom: 'PLIMSOLL_POOL_OUT_OF_MEMORY',
  exit: 'PLIMSOLL_POOL_WORKER_EXITED',
};
const MOST = Number.MAX_SAFE_INTEGER;

/** @throws TypeError or RangeError */
export function retryOf(value: unknown): RetryPolicy | undefined {
  const given = objectOf<RetryOptions>('options.retry', value);
  if (given === undefined) return undefined;
  const { on = Object.keys(CODES) } = given;
  if (!Array.isArray(on) || !on.every((end) => Object.hasOwn(CODES, end))) {
    throw badType('options.retry.on', on, "an array of 'crash', 'oom' and 'exit'");
  }
  return {
    codes: (on as readonly WorkerEnd[]).map((end) => CODES[end]),
    max: count('options.retry.max', given.max, 0, MOST) ?? 2,
    backoff: duration('options.retry.backoff', given.backoff) ?? 0,
  };
}

/** @throws TypeError or RangeError */
export function quarantineOf(value: unknown): Quarantining | undefined {
  const given = objectOf<QuarantineOptions>('options.quarantine', value);
  if (given === undefined) return undefined;
  return {
    deaths: count('options.quarantine.deaths', given.deaths, 1, MOST) ?? 3,
    within: duration('options.quarantine.within', given.within) ?? 60_000,
    pause: duration('options.quarantine.pause', given.pause) ?? 30_000,
  };
}

/** @throws TypeError or RangeError */
export function breakerOf(value: unknown): Breaking {
  const { failures, pause } = objectOf<BreakerOptions>('options.breaker', value) ?? {};
  const isNever = failures === Number.POSITIVE_INFINITY;
  return {
    failures: isNever ? failures : (count('options.breaker.failures', failures, 1, MOST) ?? 5),
    pause: duration('options.breaker.pause', pause) ?? 1000,
  };
}

function objectOf<Options extends object>(name: string, value: unknown): Options | undefined {
  if (value === undefined) return undefined;
  if (typeof value !== 'object' || value === null) throw badType(name, value, 'an object');
  return Object.assign(Object.create(null), value);
}
