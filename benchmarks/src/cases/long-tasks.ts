import { NO_POOL, ONE_SETTING_EACH } from '../contenders/contenders.js';
import { expect } from '../support/expect.js';
import { hostCpuMs } from '../support/host-cpu.js';
import { sustain } from '../support/sustain.js';
import type { Case } from './case.js';

const TASK_MS = 50;

export const longTasks: Case = {
  name: 'long-tasks',
  title: 'Twenty tasks of 50 ms, one after another',
  description:
    'Two workers; each task keeps its thread busy for 50 ms and is awaited before the next is sent. Dispatch overhead: ' +
    'the time over 20 × 50 ms, which the pool takes to hand a task over and its result back; the CPU of the host thread is ' +
    'what waiting costs it. A third of a second of empty tasks, one at a time, comes before: else the figure is that of ' +
    'code not yet compiled. The last row is no pool: two threads that wake each other and never spin.',
  contenders: [...ONE_SETTING_EACH, NO_POOL],
  metrics: [
    { id: 'dispatchOverheadMs', title: 'dispatch overhead ms/task', better: 'less', digits: 3 },
    { id: 'hostCpu', title: 'host CPU %', better: 'less', digits: 2 },
  ],
  targets: [
    { kind: 'value', metric: 'dispatchOverheadMs', unit: 'ms per task', atMost: 0.5 },
    { kind: 'value', metric: 'hostCpu', unit: '% host CPU', atMost: 2 },
  ],
  expectedMs: { full: 1700, quick: 1700, smoke: 600 },

  async measure({ open, effort }) {
    const tasks = effort === 'smoke' ? 2 : 20;
    const pool = open({ task: 'busy', threads: 2 });
    await sustain<number, number>({
      run: pool.run,
      make: () => 0,
      check: (result) => expect(result === 0, 'not 0'),
      inFlight: 1,
      warmUpMs: 0,
      ms: effort === 'smoke' ? 10 : 333,
    });
    const cpuBefore = hostCpuMs();
    const started = performance.now();
    for (let task = 0; task < tasks; task++) expect((await pool.run(TASK_MS)) === TASK_MS, 'not 50');
    const elapsed = performance.now() - started;
    const cpu = hostCpuMs() - cpuBefore;
    return { dispatchOverheadMs: elapsed / tasks - TASK_MS, hostCpu: (cpu / elapsed) * 100 };
  },
};
