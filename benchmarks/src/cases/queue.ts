import { setTimeout as sleep } from 'node:timers/promises';
import { peakRssMb, rssMb } from '../common/memory.js';
import { ALL } from '../contenders/contenders.js';
import { expect } from '../support/expect.js';
import { checkSum, makeSum } from '../support/small-tasks.js';
import { sustain } from '../support/sustain.js';
import type { Case } from './case.js';

export const queue: Case = {
  name: 'queue',
  title: 'A million queued tasks',
  description:
    'Two workers and 1,000,000 small tasks handed over in one go. Memory is the peak of the process (VmHWM) over what it ' +
    'held with the pool open and used. A pool gets four seconds to settle them: the peak is at the start, so what one that ' +
    'is slower shows is the least that it takes. The promises themselves are part of it, for every pool alike.',
  contenders: ALL,
  metrics: [
    { id: 'rss', title: 'MB', better: 'less', digits: 0 },
    { id: 'handOver', title: 'ms to hand over', better: 'less', digits: 0 },
    { id: 'settled', title: '% settled', better: 'more', digits: 1 },
  ],
  targets: [{ kind: 'times', metric: 'rss', of: 'piscina', atMost: 0.5 }],
  // Long runs whose figure hardly varies.
  blocksFactor: 0.5,
  expectedMs: { full: 9000, quick: 2500, smoke: 400 },

  async measure({ open, effort }) {
    const tasks = { full: 1_000_000, quick: 200_000, smoke: 1000 }[effort];
    const pool = open({ task: 'add', threads: 2 });
    await sustain({ run: pool.run, make: makeSum, check: checkSum, inFlight: 100, warmUpMs: 0, ms: 100 });
    const empty = rssMb();

    let settled = 0;
    let wrong: unknown = null;
    let last = (): void => {};
    const allSettled = new Promise<void>((resolve) => {
      last = resolve;
    });
    const onSettled = (): void => {
      if (++settled === tasks) last();
    };
    const started = performance.now();
    for (let index = 0; index < tasks; index++) {
      pool.run(makeSum(index)).then(
        (result) => {
          if (result !== index + 1) wrong = result;
          onSettled();
        },
        (error) => {
          wrong = error;
          onSettled();
        },
      );
    }
    const handOver = performance.now() - started;
    const patience = new AbortController();
    await Promise.race([
      allSettled,
      sleep({ full: 4000, quick: 1000, smoke: 5000 }[effort], undefined, { signal: patience.signal }).catch(
        () => {},
      ),
    ]);
    patience.abort();
    const rss = peakRssMb() - empty;
    expect(wrong === null, String(wrong));
    expect(settled <= tasks, `${settled} results of ${tasks} tasks`);
    return { rss, handOver, settled: (settled / tasks) * 100 };
  },
};
