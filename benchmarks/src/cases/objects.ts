import { isDeepStrictEqual } from 'node:util';
import { ALL } from '../contenders/contenders.js';
import { expect } from '../support/expect.js';
import { sustain } from '../support/sustain.js';
import type { Case } from './case.js';

const IN_FLIGHT = 64;

/** Like the answer of some API: nested, mostly text, 10 KB as JSON. */
export const order = {
  id: 'b7f3c6e2-6f0a-4c7e-9a55-0d8e4a1f2c3b',
  customer: { name: 'Grace Hopper', email: 'grace@example.com', tags: ['navy', 'compilers', 'nanoseconds'] },
  total: 4711.25,
  paid: true,
  note: null,
  items: Array.from({ length: 60 }, (_, index) => ({
    sku: `SKU-${String(index).padStart(6, '0')}`,
    title: `Item number ${index} of a longish order, as printed on the bill`,
    quantity: (index % 5) + 1,
    price: 9.95 + index,
    inStock: index % 3 !== 0,
    options: { colour: 'blue', size: index % 2 === 0 ? 'L' : 'XL' },
  })),
};

export const objects: Case = {
  name: 'objects',
  title: '10 KB objects in and out',
  description:
    'Two workers, 64 tasks in flight; each takes a nested object that is 10 KB as JSON and returns it. The first results ' +
    'are compared deeply with what was sent, the others by their last item.',
  contenders: ALL,
  metrics: [
    { id: 'rate', title: 'tasks/s', better: 'more', digits: 0 },
    { id: 'cpu', title: 'CPU µs/task', better: 'less', digits: 1 },
  ],
  targets: [{ kind: 'times', metric: 'rate', of: 'piscina', atLeast: 3 }],
  expectedMs: { full: 2300, quick: 1000, smoke: 400 },

  async measure({ open, effort }) {
    const pool = open({ task: 'echo', threads: 2 });
    const { tasksPerSecond, cpuUsPerTask } = await sustain<typeof order, typeof order>({
      run: pool.run,
      make: () => order,
      check(result, index) {
        expect(result !== order && result.items[59]?.price === 68.95, 'the last item');
        if (index < IN_FLIGHT) expect(isDeepStrictEqual(result, order), 'not equal to what was sent');
      },
      inFlight: IN_FLIGHT,
      warmUpMs: { full: 700, quick: 250, smoke: 10 }[effort],
      ms: { full: 1300, quick: 450, smoke: 20 }[effort],
    });
    return { rate: tasksPerSecond, cpu: cpuUsPerTask };
  },
};
