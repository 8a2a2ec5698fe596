/** Calls at random moments, and bursts of those that block them. All are routes of `app.ts`. */
export interface Pair {
  readonly id: string;
  readonly victim: string;
  readonly victimsPerSecond: number;
  /** What the second run leaves out. */
  readonly blocker: string;
  /** Jobs of a burst: more than there are threads. */
  readonly burst: number;
  /** Another one, whose bursts stay. */
  readonly rival?: string;
}

export const PAIRS: readonly Pair[] = [
  { id: 'logins behind gzip', victim: 'login', victimsPerSecond: 100, blocker: 'gzip', burst: 8 },
  {
    id: 'file stats behind key derivation',
    victim: 'stat',
    victimsPerSecond: 100,
    blocker: 'derive',
    burst: 8,
  },
  { id: 'lookups behind file reads', victim: 'lookup', victimsPerSecond: 60, blocker: 'read', burst: 32 },
  {
    id: 'logins behind gzip, beside key derivation',
    ...{ victim: 'login', victimsPerSecond: 100, blocker: 'gzip', burst: 8, rival: 'derive' },
  },
];

const BURSTS_EVERY_MS = 600;

/** When which route is called, and how often at once. */
export type Schedule = readonly (readonly [atMs: number, route: string, count: number])[];

/** @param random from 0 to 1. */
export function scheduleOf(
  { victim, victimsPerSecond, blocker, burst, rival }: Pair,
  ms: number,
  random: () => number,
): Schedule {
  const calls: [number, string, number][] = [];
  for (let at = 0; at < ms; at += (-Math.log(1 - random()) * 1000) / victimsPerSecond)
    calls.push([at, victim, 1]);
  for (const route of [blocker, rival])
    for (let at = BURSTS_EVERY_MS * random(); at < ms; at += BURSTS_EVERY_MS * (0.5 + random()))
      if (route !== undefined) calls.push([at, route, burst]);
  return calls;
}
