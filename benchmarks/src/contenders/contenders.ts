import type { Contender } from './contender.js';

interface Entry {
  readonly title: string;
  /** Its package, whose version is part of the result. */
  readonly library: string | null;
  /** Loaded in the measuring process only, and only the one that is measured. */
  load(): Promise<Contender>;
}

/** Everybody who runs, in the order of the tables. */
export const CONTENDERS = {
  plimsoll: {
    title: '@plimsoll/pool',
    library: '@plimsoll/pool',
    load: () => import('./plimsoll.js'),
  },
  piscina: { title: 'piscina', library: 'piscina', load: () => import('./piscina.js') },
  'piscina-16': {
    title: 'piscina, 16 tasks per worker',
    library: 'piscina',
    load: () => import('./piscina-16.js'),
  },
  tinypool: { title: 'tinypool', library: 'tinypool', load: () => import('./tinypool.js') },
  workerpool: { title: 'workerpool', library: 'workerpool', load: () => import('./workerpool.js') },
  poolifier: { title: 'poolifier', library: 'poolifier', load: () => import('./poolifier.js') },
  bare: { title: 'bare worker_threads', library: null, load: () => import('./bare.js') },
  atomics: { title: 'one number and Atomics, no pool', library: null, load: () => import('./atomics.js') },
} satisfies Record<string, Entry>;

export type ContenderName = keyof typeof CONTENDERS;

export const NO_POOL: ContenderName = 'atomics';

/** Every pool. */
export const ALL = (Object.keys(CONTENDERS) as ContenderName[]).filter((name) => name !== NO_POOL);

/** The same library with a setting that matters only when one worker has several tasks. */
export const ONE_SETTING_EACH = ALL.filter((name) => name !== 'piscina-16');

/** What the others are compared with. */
export const BASELINE: ContenderName = 'piscina';
