import { setTimeout as sleep } from 'node:timers/promises';
import { ONE_SETTING_EACH } from '../contenders/contenders.js';
import { checkSum, makeSum } from '../support/small-tasks.js';
import { sustain } from '../support/sustain.js';
import type { Case } from './case.js';

/** CPU of the process while it does nothing but wait, in percent of a core. */
async function waitingCpu(ms: number): Promise<number> {
  const cpuBefore = process.cpuUsage();
  const started = performance.now();
  await sleep(ms);
  const { user, system } = process.cpuUsage(cpuBefore);
  return (user + system) / 10 / (performance.now() - started);
}

export const idle: Case = {
  name: 'idle',
  title: 'An idle pool',
  description:
    'Eight workers, all of which have had work; after a pause of one second, the CPU time of the process over five ' +
    'seconds without a task. One timer ends the wait, and its cost is part of the figure; "no pool" is what the same wait ' +
    'costs in the same process before there is a pool.',
  contenders: ONE_SETTING_EACH,
  metrics: [
    { id: 'cpu', title: '% of a core', better: 'less', digits: 3 },
    { id: 'none', title: 'no pool', better: 'less', digits: 3 },
  ],
  targets: [{ kind: 'value', metric: 'cpu', unit: '% of a core', atMost: 0.5 }],
  expectedMs: { full: 7100, quick: 2400, smoke: 600 },

  async measure({ open, effort }) {
    const none = await waitingCpu({ full: 500, quick: 300, smoke: 10 }[effort]);
    const pool = open({ task: 'add', threads: 8 });
    await sustain({
      run: pool.run,
      make: makeSum,
      check: checkSum,
      inFlight: 64,
      warmUpMs: 0,
      ms: { full: 300, quick: 200, smoke: 10 }[effort],
    });
    await sleep({ full: 1000, quick: 500, smoke: 10 }[effort]);
    const cpu = await waitingCpu({ full: 5000, quick: 1000, smoke: 20 }[effort]);
    return { cpu, none };
  },
};
