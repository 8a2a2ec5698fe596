import type { Condition, Effort, Study } from '../common/study.js';
import { findings } from './findings.js';

const condition = (connections: number, warmUpMs: number, ms: number): Condition => ({
  id: String(connections),
  title: `${connections.toLocaleString('en-GB')} connections`,
  contenders: [
    { id: 'none', title: 'no pool' },
    { id: 'plimsoll', title: '@plimsoll/pool' },
    { id: 'piscina', title: 'Piscina' },
  ],
  baseline: 'piscina',
  metrics: [
    { id: 'rate', title: 'requests/s', better: 'more', digits: 0 },
    { id: 'mean', title: 'latency mean ms', better: 'less', digits: 2 },
    { id: 'p50', title: 'p50 ms', better: 'less', digits: 2 },
    { id: 'p99', title: 'p99 ms', better: 'less', digits: 2 },
    { id: 'waitMean', title: 'queue wait mean ms', better: 'less', digits: 3 },
    { id: 'waitMax', title: 'queue wait max ms', better: 'less', digits: 2 },
    { id: 'cpu', title: 'server CPU µs/request', better: 'less', digits: 0 },
  ],
  parameters: { connections, warmUpMs, ms },
  expectedMs: warmUpMs + ms + 1500,
});

export const react: Study = {
  name: 'react',
  title: 'Rendering React behind Fastify',
  description: [
    'Every request renders a React component of about three kilobytes of generated text to a string: on the thread of the server, or',
    'as a task of a pool ([server.ts](../../examples/src/react/server.ts)). The pools are as they come, ours by the plugin',
    '`@plimsoll/fastify`. autocannon asks in a closed loop from a process of its own, ten seconds after two to warm up; it shares the',
    "cores with the server and its workers. Latencies are autocannon's, queue waits the pools' own, CPU is that of the server's process",
    'with all its threads.',
  ],
  packages: ['@plimsoll/pool', '@plimsoll/fastify', 'piscina', 'fastify', 'react', 'react-dom', 'autocannon'],
  conditions: (effort: Effort): readonly Condition[] =>
    effort === 'full'
      ? [condition(10, 2000, 10_000), condition(1000, 2000, 10_000)]
      : [condition(100, 300, 400)],
  findings,
};
