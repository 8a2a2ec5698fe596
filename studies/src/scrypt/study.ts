import type { Condition, Contender, Effort, Judged, Study } from '../common/study.js';
import { findings } from './findings.js';

const CONTENDERS: readonly Contender[] = [
  { id: 'async', title: 'async' },
  { id: 'sync', title: 'sync' },
  { id: 'plimsoll-async', title: 'pooled async, @plimsoll/pool' },
  { id: 'plimsoll-sync', title: 'pooled sync, @plimsoll/pool' },
  { id: 'piscina-async', title: 'pooled async, Piscina' },
  { id: 'piscina-sync', title: 'pooled sync, Piscina' },
];

const JUDGED: readonly Judged[] = [
  ['async', 'sync', 'total'],
  ['plimsoll-async', 'async', 'total'],
  ['plimsoll-sync', 'sync', 'total'],
];

const AT_ONCE_JUDGED: readonly Judged[] = [
  ['plimsoll-sync', 'sync', 'total'],
  ['plimsoll-sync', 'async', 'total'],
];

const condition = (id: string, title: string, count: number, rest: Partial<Condition> = {}): Condition => ({
  id,
  title,
  contenders: CONTENDERS,
  baseline: 'async',
  metrics: [
    { id: 'total', title: 'total ms', better: 'less', digits: 0 },
    { id: 'p50', title: 'event-loop delay p50 ms', better: 'less', digits: 2 },
    { id: 'p99', title: 'event-loop delay p99 ms', better: 'less', digits: 2 },
    { id: 'commonP99', title: '20 ms sampler p99', better: 'less', digits: 1 },
    { id: 'cpu', title: 'CPU ms', better: 'less', digits: 0 },
  ],
  judged: JUDGED,
  parameters: { count },
  seconds: 55,
  ...rest,
});

export const scrypt: Study = {
  name: 'scrypt',
  title: 'Pooling what is asynchronous, and what is not',
  description: [
    "`crypto.scrypt` is done by libuv's pool, `crypto.scryptSync` by the thread that calls it. The article that introduced Piscina",
    'compared both, outside and inside a pool of workers, and taught with it what a pool is good for. The program is its own: one',
    'password after the other, each awaited ([program.ts](../../studies/src/scrypt/program.ts)). Its 10 passwords are one round here; its',
    '1,000 are too long to take turns with, and are rounds of 25 in processes that have started long ago. The last table is what it',
    'did not try, all passwords at once.',
    '',
    'Event-loop delay: how late a timer due at a random moment fires, from the gaps of a 1 ms sampler, weighted by time. "20 ms sampler":',
    "what `monitorEventLoopDelay({ resolution: 20 })` of Node's documentation says, whose own 20 ms are part of the figure.",
  ],
  packages: ['@plimsoll/pool', 'piscina'],
  conditions(effort: Effort): readonly Condition[] {
    if (effort === 'quick')
      return [
        condition('few', '2 passwords', 2),
        condition('at-once', '2 passwords, all at once', 2, {
          contenders: CONTENDERS.filter(({ id }) => ['async', 'plimsoll-sync'].includes(id)),
          judged: AT_ONCE_JUDGED,
          parameters: { count: 2, atOnce: 1 },
        }),
      ];
    return [
      condition('few', '10 passwords', 10),
      condition('many', 'Rounds of 25 passwords, for the 1,000', 25, { seconds: 110 }),
      condition('at-once', '20 passwords, all at once', 20, {
        judged: AT_ONCE_JUDGED,
        parameters: { count: 20, atOnce: 1 },
        seconds: 65,
      }),
    ];
  },
  findings,
};
