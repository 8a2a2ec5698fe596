import { ONE_SETTING_EACH } from '../contenders/contenders.js';
import { checkSum, makeSum } from '../support/small-tasks.js';
import { sustain } from '../support/sustain.js';
import type { Case } from './case.js';

export const latency: Case = {
  name: 'latency',
  title: 'Small tasks, one at a time',
  description:
    'One worker; each task `({ a, b }) => a + b` is awaited before the next is sent, so that the rate is the inverse of ' +
    'the round trip.',
  contenders: ONE_SETTING_EACH,
  metrics: [
    { id: 'rate', title: 'tasks/s', better: 'more', digits: 0 },
    { id: 'cpu', title: 'CPU µs/task', better: 'less', digits: 2 },
  ],
  targets: [{ kind: 'times', metric: 'rate', of: 'piscina', atLeast: 12 }],
  expectedMs: { full: 2100, quick: 1000, smoke: 400 },

  async measure({ open, effort }) {
    const pool = open({ task: 'add', threads: 1 });
    const { tasksPerSecond, cpuUsPerTask } = await sustain({
      run: pool.run,
      make: makeSum,
      check: checkSum,
      inFlight: 1,
      warmUpMs: { full: 600, quick: 250, smoke: 10 }[effort],
      ms: { full: 1200, quick: 400, smoke: 20 }[effort],
    });
    return { rate: tasksPerSecond, cpu: cpuUsPerTask };
  },
};
