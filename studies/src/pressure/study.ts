import type { Condition, Contender, Effort, Judged, Study } from '../common/study.js';
import { findings } from './findings.js';

const LIBRARIES = { plimsoll: '@plimsoll/pool', piscina: 'Piscina' } as const;

const both = (settings: Readonly<Record<string, string>>): readonly Contender[] =>
  Object.entries(settings).flatMap(([setting, title]) =>
    Object.entries(LIBRARIES).map(([library, name]) => ({
      id: `${library}-${setting}`,
      title: `${title}; ${name}`,
    })),
  );

const SETTINGS = {
  asitcomes: 'minThreads 1, idleTimeout 0',
  minthreads: 'minThreads 4',
  idletimeout: 'minThreads 1, idleTimeout 1 s',
} as const;

const LOADS = { 50: '50 %', 90: '90 %', 150: '150 %' } as const;

const low = (bursts: number, contenders: readonly Contender[]): Condition => ({
  id: 'low',
  title: 'Low: bursts of four tasks, and pauses',
  contenders,
  baseline: 'piscina-asitcomes',
  metrics: [
    { id: 'workers', title: 'workers started per burst', better: 'less', digits: 2 },
    { id: 'mean', title: 'burst mean ms', better: 'less', digits: 1 },
    { id: 'max', title: 'burst max ms', better: 'less', digits: 1 },
    { id: 'cpu', title: 'CPU ms/burst', better: 'less', digits: 1 },
    { id: 'pressure', title: 'pressure', better: 'less', digits: 2 },
  ],
  judged: [
    ['plimsoll-asitcomes', 'piscina-asitcomes', 'workers'],
    ['piscina-minthreads', 'piscina-asitcomes', 'cpu'],
    ['piscina-idletimeout', 'piscina-asitcomes', 'cpu'],
    ['plimsoll-minthreads', 'plimsoll-asitcomes', 'cpu'],
    ['piscina-minthreads', 'piscina-asitcomes', 'mean'],
  ],
  parameters: { bursts, threads: 4, taskMs: 5, pauseMs: 60 },
  seconds: 120,
});

const high = (ms: number, contenders: readonly Contender[]): Condition => ({
  id: 'high',
  title: 'From half to one and a half times what one worker can do',
  contenders,
  baseline: 'piscina-50',
  metrics: [
    { id: 'pressure', title: 'pressure', better: 'less', digits: 2 },
    { id: 'queue', title: 'queue at the end', better: 'less', digits: 0 },
    { id: 'waitMean', title: 'wait mean ms', better: 'less', digits: 2 },
    { id: 'waitMax', title: 'wait max ms', better: 'less', digits: 1 },
    { id: 'utilization', title: 'utilization %', better: 'more', digits: 0 },
  ],
  judged: [
    ...Object.keys(LOADS).map((load): Judged => [`plimsoll-${load}`, `piscina-${load}`, 'pressure']),
    ['piscina-150', 'piscina-50', 'waitMean'],
  ],
  parameters: { taskMs: 2, ms },
  seconds: 110,
});

export const pressure: Study = {
  name: 'pressure',
  title: 'Queue pressure, low and high',
  description: [
    'Queue pressure is the rate at which tasks come in by the rate at which they go out: `pool.stats.pressure`',
    '([what it is exactly](../reference/pool.md#queue-pressure)); for Piscina it is counted by the program. Low: four tasks of 5 ms at once, then',
    '60 ms of nothing, with at most four workers; what does it cost that idle workers are stopped, and what helps? High: tasks of 2 ms',
    'at regular moments for one worker, at half, nine tenths and one and a half times what it can do',
    '([program.ts](../../studies/src/pressure/program.ts)).',
  ],
  packages: ['@plimsoll/pool', 'piscina'],
  conditions: (effort: Effort): readonly Condition[] =>
    effort === 'full'
      ? [low(8, both(SETTINGS)), high(1000, both(LOADS))]
      : [
          low(2, both({ asitcomes: SETTINGS.asitcomes })),
          high(200, both({ 50: LOADS[50], 150: LOADS[150] })),
        ],
  findings,
};
