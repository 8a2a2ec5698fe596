// `npm run bench:host-calls [-- ROUNDS]`: what a call of the host takes, beside an empty task, one at a time on one worker. Short
// rounds by turns in one process, so that a disturbance hits all; the empty task twice.
import { performance } from 'node:perf_hooks';
import { Pool } from '@plimsoll/pool';

const COUNT = 3000;

type Kind = 'empty' | 'empty, of a pool without host' | 'host.sync' | 'host';

const filename = new URL('./worker.js', import.meta.url);
const threads = { minThreads: 1, maxThreads: 1 };
const bare = new Pool<typeof import('./worker.js')>({ filename, ...threads });
const pool = new Pool<typeof import('./worker.js')>({ filename, ...threads, host: { answer: () => 1 } });

const KINDS: Readonly<Record<Kind, () => Promise<void>>> = {
  async 'empty, of a pool without host'() {
    for (let task = 0; task < COUNT; task++) await bare.run(undefined, { name: 'empty' });
  },
  async empty() {
    for (let task = 0; task < COUNT; task++) await pool.run(undefined, { name: 'empty' });
  },
  'host.sync': () => pool.run(COUNT, { name: 'blocking' }),
  host: () => pool.run(COUNT, { name: 'awaited' }),
};

const median = (values: readonly number[]): number =>
  values.toSorted((one, other) => one - other)[values.length >> 1] ?? Number.NaN;

const rounds = Number(process.argv[2] ?? 40);
const times = new Map<string, number[]>();
for (let round = -5; round < rounds; round++) {
  for (const [kind, run] of Object.entries(KINDS)) {
    const begin = performance.now();
    await run();
    const microseconds = ((performance.now() - begin) / COUNT) * 1000;
    if (round >= 0) times.set(kind, [...(times.get(kind) ?? []), microseconds]);
  }
}
await Promise.all([bare.close(), pool.close()]);

const base = times.get('empty, of a pool without host') as number[];
for (const [kind, all] of times) {
  const ratio = median(all.map((time, round) => time / (base[round] as number)));
  console.log(`${kind.padEnd(32)} ${median(all).toFixed(2).padStart(7)} µs   ×${ratio.toFixed(2)}`);
}
