import { ONE_SETTING_EACH } from '../contenders/contenders.js';
import { boundedMap } from '../support/bounded-map.js';
import { checkSum, makeSum } from '../support/small-tasks.js';
import { sustain } from '../support/sustain.js';
import type { Case } from './case.js';

const IN_FLIGHT = 1000;

/** Items for so long. */
function* itemsFor(ms: number): Generator<unknown> {
  const until = performance.now() + ms;
  for (let index = 0; performance.now() < until; index++) yield makeSum(index);
}

export const map: Case = {
  name: 'map',
  title: 'Items of an iterable, results in their order',
  description:
    'Two workers, the items of a generator by `({ a, b }) => a + b`, 1,000 at a time, results in the order of the items; every ' +
    'sum is checked. `pool.map()` where there is one, elsewhere the loop that users write: a list of promises, the first of ' +
    'which is awaited. *of plain tasks*: by the rate of a closed loop of 1,000 tasks in the same process.',
  contenders: ONE_SETTING_EACH,
  metrics: [
    { id: 'rate', title: 'items/s', better: 'more', digits: 0 },
    { id: 'share', title: 'of plain tasks', better: 'more', digits: 2 },
  ],
  targets: [{ kind: 'value', metric: 'share', unit: 'of the rate of plain tasks', atLeast: 0.5 }],
  expectedMs: { full: 4000, quick: 1800, smoke: 500 },

  async measure({ open, effort }) {
    const pool = open({ task: 'add', threads: 2 });
    const [warmUpMs, ms] = { full: [800, 1500], quick: [300, 500], smoke: [10, 20] }[effort] as [
      number,
      number,
    ];
    const each = pool.map ?? ((items, concurrency) => boundedMap(pool.run, items, concurrency));
    const through = async (length: number): Promise<number> => {
      const begun = performance.now();
      let count = 0;
      for await (const sum of each(itemsFor(length), IN_FLIGHT)) checkSum(sum as number, count++);
      return (count * 1000) / (performance.now() - begun);
    };
    const load = { run: pool.run, make: makeSum, check: checkSum, inFlight: IN_FLIGHT };
    const { tasksPerSecond } = await sustain({ ...load, warmUpMs, ms });
    await through(warmUpMs);
    const rate = await through(ms);
    return { rate, share: rate / tasksPerSecond };
  },
};
