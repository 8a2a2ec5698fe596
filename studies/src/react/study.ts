import type { Condition, Effort, Study } from '../common/study.js';
import { findings } from './findings.js';

const condition = (effort: Effort, connections: number, warmUpMs: number, ms: number): Condition => ({
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
  parameters: { connections, warmUpMs, ms },
  expectedMs: warmUpMs + ms + 1500,
});

export const react: Study = {
  name: 'react',
  title: 'Rendering React behind Fastify',
  description: [
    'Every request renders a React component of about three kilobytes of generated text to a string: on the thread of the server, or',
    'as a task of a pool ([server.ts](../../studies/src/react/server.ts)). The pools are as they come, which means that a worker',
    'beyond the first is stopped as soon as it idles, and again with an `idleTimeout` of 5 s; ours by the plugin `@plimsoll/fastify`.',
    'autocannon asks in a closed loop from a process of its own, for ten seconds after five to warm up; it shares the cores with the',
    'server and its workers. Connections answered: at least once in those ten seconds; latencies are those of the answers. Queue waits',
    "are the pools' own figures, CPU is that of the server's process with all its threads.",
  ],
  packages: ['@plimsoll/pool', '@plimsoll/fastify', 'piscina', 'fastify', 'react', 'react-dom', 'autocannon'],
  conditions: (effort: Effort): readonly Condition[] =>
    effort === 'full'
      ? [condition(effort, 10, 5000, 10_000), condition(effort, 1000, 5000, 10_000)]
      : [condition(effort, 100, 300, 400)],
  findings,
};
