import { ONE_SETTING_EACH } from '../contenders/contenders.js';
import { expect } from '../support/expect.js';
import type { Case } from './case.js';

export const coldStart: Case = {
  name: 'cold-start',
  title: 'The first result of a cold pool',
  description:
    'In a fresh process: from before the constructor of a pool of two workers until the first result is there. The import ' +
    'of the library comes before that and is shown by itself.',
  contenders: ONE_SETTING_EACH,
  metrics: [
    { id: 'first', title: 'ms', better: 'less', digits: 1 },
    { id: 'import', title: 'import ms', better: 'less', digits: 1 },
  ],
  targets: [{ kind: 'times', metric: 'first', of: 'piscina', atMost: 1 }],
  // Cheap and fickle: more runs than others.
  blocksFactor: 2,
  expectedMs: { full: 300, quick: 300, smoke: 300 },

  async measure({ open, importMs }) {
    const started = performance.now();
    const pool = open({ task: 'add', threads: 2 });
    const result = await pool.run({ a: 20, b: 22 });
    const first = performance.now() - started;
    expect(result === 42, `20 + 22 gave ${String(result)}`);
    return { first, import: importMs };
  },
};
