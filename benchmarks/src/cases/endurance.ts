import { setTimeout as sleep } from 'node:timers/promises';
import { rssMb } from '../common/memory.js';
import { checkSum, makeSum } from '../support/small-tasks.js';
import type { Case } from './case.js';

const IN_FLIGHT = 1000;
const SAMPLE_EVERY_MS = 50;

/** Every kind of thing that keeps the event loop alive, counted. */
function resources(): Map<string, number> {
  const counts = new Map<string, number>();
  for (const kind of process.getActiveResourcesInfo()) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return counts;
}

export const endurance: Case = {
  name: 'endurance',
  title: 'Ten million tasks',
  description:
    'Two workers, 1,000 small tasks in flight, ten million for warm-up and ten million more; every sum is checked. RSS is ' +
    'read every 50 ms; its growth is the median of the last fifth of the readings less that of the first fifth after the ' +
    'warm-up, which is that long because V8 doubles its young generation once, after three to four million tasks. ' +
    'Handles are what `process.getActiveResourcesInfo()` has more of after than before the work.',
  contenders: ['plimsoll'],
  metrics: [
    { id: 'growth', title: 'RSS growth MB', better: 'less', digits: 2 },
    { id: 'rss', title: 'RSS at the end MB', better: 'less', digits: 0 },
    { id: 'handles', title: 'handles more', better: 'less', digits: 0 },
    { id: 'rate', title: 'tasks/s', better: 'more', digits: 0 },
  ],
  targets: [
    // Flat: less than half a byte per task, which no leak of anything per task can stay below.
    { kind: 'value', metric: 'growth', unit: 'MB', atMost: 4 },
    { kind: 'value', metric: 'handles', unit: 'handles', atMost: 0 },
  ],
  blocksFactor: 0.5,
  expectedMs: { full: 24_000, quick: 4000, smoke: 500 },

  async measure({ open, effort }) {
    const warmUp = { full: 10_000_000, quick: 1_000_000, smoke: 5000 }[effort];
    const tasks = 2 * warmUp;
    const pool = open({ task: 'add', threads: 2 });
    for (let task = 0; task < 100; task++) await pool.run(makeSum(task));
    await sleep(50);
    const before = resources();

    const readings: number[] = [];
    let sampledAt = 0;
    let next = 0;
    let done = 0;
    const started = performance.now();
    const lane = async (): Promise<void> => {
      while (next < tasks) {
        const index = next++;
        checkSum((await pool.run(makeSum(index))) as number, index);
        // No timer for it: that would be a handle.
        if (++done % 1024 === 0 && done > warmUp && performance.now() - sampledAt >= SAMPLE_EVERY_MS) {
          sampledAt = performance.now();
          readings.push(rssMb());
        }
      }
    };
    await Promise.all(Array.from({ length: IN_FLIGHT }, lane));
    const rate = (done * 1000) / (performance.now() - started);
    readings.push(rssMb());
    await sleep(50);
    let handles = 0;
    for (const [kind, count] of resources()) handles += Math.max(0, count - (before.get(kind) ?? 0));
    const { median } = await import('@plimsoll/lab');
    const fifth = Math.max(1, Math.floor(readings.length / 5));
    return {
      growth: median(readings.slice(-fifth)) - median(readings.slice(0, fifth)),
      rss: readings.at(-1) ?? 0,
      handles,
      rate,
    };
  },
};
