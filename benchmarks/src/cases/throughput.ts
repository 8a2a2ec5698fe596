import { ALL } from '../contenders/contenders.js';
import { checkSum, makeSum } from '../support/small-tasks.js';
import { sustain } from '../support/sustain.js';
import type { Case } from './case.js';

const IN_FLIGHT = 1000;

export const throughput: Case = {
  name: 'throughput',
  title: 'Small tasks, many in flight',
  description:
    'Two workers, 1,000 tasks `({ a, b }) => a + b` in flight from a closed loop; every sum is checked. ' +
    'CPU is that of the whole process, its workers included.',
  contenders: ALL,
  metrics: [
    { id: 'rate', title: 'tasks/s', better: 'more', digits: 0 },
    { id: 'cpu', title: 'CPU µs/task', better: 'less', digits: 2 },
  ],
  targets: [
    { kind: 'times', metric: 'rate', of: 'piscina', atLeast: 25 },
    { kind: 'times', metric: 'rate', of: 'next best', atLeast: 10 },
  ],
  expectedMs: { full: 2600, quick: 1100, smoke: 400 },

  async measure({ open, effort }) {
    const pool = open({ task: 'add', threads: 2 });
    const { tasksPerSecond, cpuUsPerTask } = await sustain({
      run: pool.run,
      make: makeSum,
      check: checkSum,
      inFlight: IN_FLIGHT,
      warmUpMs: { full: 800, quick: 300, smoke: 10 }[effort],
      ms: { full: 1500, quick: 500, smoke: 20 }[effort],
    });
    return { rate: tasksPerSecond, cpu: cpuUsPerTask };
  },
};
