import type { Probes } from '../outcome.js';

interface Entry {
  /** Its package. */
  readonly library: string;
  /** Loaded in the process of a probe only. */
  load(): Promise<{ readonly probes: Probes }>;
}

/** Every pool, in the order of the table. */
export const POOLS = {
  plimsoll: { library: '@plimsoll/pool', load: () => import('./plimsoll.js') },
  piscina: { library: 'piscina', load: () => import('./piscina.js') },
  tinypool: { library: 'tinypool', load: () => import('./tinypool.js') },
  workerpool: { library: 'workerpool', load: () => import('./workerpool.js') },
  poolifier: { library: 'poolifier', load: () => import('./poolifier.js') },
  'jest-worker': { library: 'jest-worker', load: () => import('./jest-worker.js') },
} satisfies Record<string, Entry>;

export type PoolName = keyof typeof POOLS;

export const POOL_NAMES = Object.keys(POOLS) as PoolName[];
