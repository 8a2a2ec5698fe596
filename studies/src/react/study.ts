import type { Condition, Effort, Judged, Study } from '../common/study.js';
import { findings } from './findings.js';

const JUDGED: readonly Judged[] = [
  ['plimsoll', 'piscina', 'rate'],
  ['plimsoll-kept', 'piscina-kept', 'rate'],
  ['piscina', 'none', 'rate'],
  ['piscina', 'none', 'mean'],
];

const condition = (
  effort: Effort,
  connections: number,
  { warmUpMs, ms, seconds }: { warmUpMs: number; ms: number; seconds: number },
): Condition => ({
  id: String(connections),
  title: `${connections.toLocaleString('en-GB')} connections`,
  contenders: [
    { id: 'none', title: 'no pool' },
    { id: 'plimsoll', title: '@plimsoll/pool' },
    { id: 'piscina', title: 'Piscina' },
    ...(effort === 'quick'
      ? []
      : [
          { id: 'plimsoll-kept', title: '@plimsoll/pool, idleTimeout 5 s' },
          { id: 'piscina-kept', title: 'Piscina, idleTimeout 5 s' },
        ]),
  ],
  baseline: 'piscina',
  metrics: [
    { id: 'rate', title: 'requests/s', better: 'more', digits: 0 },
    { id: 'served', title: 'connections answered', better: 'more', digits: 0 },
    { id: 'mean', title: 'latency mean ms', better: 'less', digits: 2 },
    { id: 'p50', title: 'p50 ms', better: 'less', digits: 2 },
    { id: 'p99', title: 'p99 ms', better: 'less', digits: 2 },
    { id: 'waitMean', title: 'queue wait mean ms', better: 'less', digits: 3 },
    { id: 'waitMax', title: 'queue wait max ms', better: 'less', digits: 2 },
    { id: 'cpu', title: 'server CPU µs/request', better: 'less', digits: 0 },
    { id: 'workers', title: 'workers started/s', better: 'less', digits: 1 },
  ],
  judged: JUDGED,
  parameters: { connections, warmUpMs, ms },
  seconds,
});

export const react: Study = {
  name: 'react',
  title: 'Rendering React behind Fastify',
  description: [
    'Every request renders a React component of about three kilobytes of generated text to a string: on the thread of the server, or',
    'as a task of a pool ([server.ts](../../studies/src/react/server.ts)). The pools are as they come, which means that a worker',
    'beyond the first is stopped as soon as it idles, and again with an `idleTimeout` of 5 s; ours by the plugin `@plimsoll/fastify`.',
    'autocannon asks in a closed loop from a process of its own, which shares the cores with the server and its workers. Every round',
    'opens its connections anew, and is measured for 0.7 seconds after 0.3 with 10 connections, and for two after two with 1,000: in',
    'that time each of them may be answered a few times. Connections answered: at least once while it was measured; latencies are',
    "those of the answers. Queue waits are the pools' own figures, CPU is that of the server's process with all its threads.",
  ],
  packages: ['@plimsoll/pool', '@plimsoll/fastify', 'piscina', 'fastify', 'react', 'react-dom', 'autocannon'],
  conditions: (effort: Effort): readonly Condition[] =>
    effort === 'full'
      ? [
          condition(effort, 10, { warmUpMs: 300, ms: 700, seconds: 80 }),
          condition(effort, 1000, { warmUpMs: 2000, ms: 2000, seconds: 170 }),
        ]
      : [condition(effort, 100, { warmUpMs: 300, ms: 400, seconds: 5 })],
  findings,
};
