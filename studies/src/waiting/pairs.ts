/** Calls at random moments, and bursts of calls that block them. All are routes of `app.ts`. */
export interface Pair {
  readonly id: string;
  readonly victim: string;
  readonly victimsPerSecond: number;
  /** Left out of the second run. */
  readonly blocker: string;
  /** Jobs of a burst, more than the pool has threads, and the mean time between two bursts. */
  readonly burst: number;
  readonly everyMs: number;
  /** A second blocker, whose bursts stay; they are rarer, and seldom meet those of the first. */
  readonly rival?: string;
}

export const PAIRS: readonly Pair[] = [
  {
    id: 'logins behind gzip',
    victim: 'login',
    victimsPerSecond: 100,
    blocker: 'gzip',
    burst: 8,
    everyMs: 600,
  },
  {
    id: 'file stats behind key derivation',
    victim: 'stat',
    victimsPerSecond: 100,
    blocker: 'derive',
    burst: 8,
    everyMs: 600,
  },
  {
    id: 'lookups behind file reads',
    victim: 'lookup',
    victimsPerSecond: 60,
    blocker: 'read',
    burst: 32,
    everyMs: 600,
  },
  {
    id: 'logins behind gzip, beside key derivation',
    ...{ victim: 'login', victimsPerSecond: 100, blocker: 'gzip', burst: 8, everyMs: 400, rival: 'derive' },
  },
];

const RARER = 3;

/** Times and routes of the calls, and the number of calls at once. */
export type Schedule = readonly (readonly [atMs: number, route: string, count: number])[];

/** @param random from 0 to 1. */
export function scheduleOf(
  { victim, victimsPerSecond, blocker, burst, everyMs, rival }: Pair,
  ms: number,
  random: () => number,
): Schedule {
  const calls: [number, string, number][] = [];
  for (let at = 0; at < ms; at += (-Math.log(1 - random()) * 1000) / victimsPerSecond)
    calls.push([at, victim, 1]);
  const bursts = (route: string, meanMs: number): void => {
    for (let at = meanMs * random(); at < ms; at += meanMs * (0.5 + random())) calls.push([at, route, burst]);
  };
  bursts(blocker, everyMs);
  if (rival !== undefined) bursts(rival, RARER * everyMs);
  return calls;
}
