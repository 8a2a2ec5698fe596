import { once } from 'node:events';
import { Pool } from '@plimsoll/pool';

const pool = new Pool({
  filename: new URL('./worker.mjs', import.meta.url),
  minThreads: 2,
  maxThreads: 2,
  maxQueue: 4,
});

// Ten tasks at once: two run, four wait, the others are refused at once.
const outcomes = await Promise.allSettled(Array.from({ length: 10 }, () => pool.run(20)));
const refused = outcomes.filter(({ status }) => status === 'rejected');
console.log(`${outcomes.length - refused.length} done, ${refused.length} ${refused[0].reason.code}`);

// Back-pressure: wait until a worker is free, then submit. Nothing is refused.
const running = [];
let longest = 0;
for (let index = 0; index < 10; index++) {
  if (pool.needsDrain) await once(pool, 'drain');
  running.push(pool.run(20));
  longest = Math.max(longest, pool.queueSize);
}
await Promise.all(running);
console.log(`${running.length} done, longest queue ${longest}`);

await pool.close();
