import { subscribe } from 'node:diagnostics_channel';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Pool } from '@plimsoll/pool';
import { observe } from '@plimsoll/pool/observe';
import { reportFor } from './service.mjs';
import { user } from './storages.mjs';

let settled = 0;
subscribe('tracing:plimsoll.pool.task:asyncEnd', () => settled++);

const pool = new Pool({
  filename: new URL('./worker.mjs', import.meta.url),
  minThreads: 2,
  maxThreads: 2,
  context: { user },
  explain: true,
  retry: { on: ['exit'], max: 1 },
  maxTasksPerWorker: 10_000,
});
const observer = observe(pool);
await pool.ready();

const lines = ['ok', 'error 1', 'ok', 'error 2'];
console.log(await reportFor(pool, 'Ada', lines));

let total = 0;
for await (const length of pool.map(lines, { name: 'lengthOf', concurrency: 2 })) total += length;
console.log('map:', total, 'characters');

const loaded = await pool.broadcast({ version: 2, word: 'ok' }, { name: 'loadRules' });
console.log(
  'broadcast:',
  loaded.map(({ value }) => value),
);
for await (const line of pool.stream(lines, { name: 'scan' })) {
  console.log('stream by the new rules:', line);
  break; // the generator in the worker ends, too
}

const visit = () => pool.run('Ada', { name: 'visit', key: 'Ada' });
console.log('key:', await Promise.all([visit(), visit(), visit()]));

// Asked to end after 50 ms, and has ten seconds for it: its worker stays.
const threads = [...pool.threads];
const ended = await pool.run(null, { name: 'search', timeout: 50, grace: 10_000 }).catch(({ code }) => code);
console.log(
  'ladder:',
  ended,
  pool.threads.every((thread) => threads.includes(thread)),
);

const directory = mkdtempSync(join(tmpdir(), 'service-'));
console.log('retry:', await pool.run(join(directory, 'marker'), { name: 'flaky' }));
rmSync(directory, { recursive: true });

pool.resize({ minThreads: 1, maxThreads: 1 });
console.log('resize:', pool.maxThreads);
const { tasks } = observer.explain();
console.log(
  'explain:',
  tasks
    .map(({ name }) => name)
    .sort()
    .join(' '),
);
console.log('metrics:', observer.prometheusMetrics().includes('plimsoll_pool_'), settled > 0);
await pool.close();
