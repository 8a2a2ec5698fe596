import { Pool } from '@plimsoll/pool';

const pool = new Pool({ filename: new URL('./worker.mjs', import.meta.url), maxThreads: 1 });

const controller = new AbortController();
const aborted = pool.run('forever', { signal: controller.signal });
setTimeout(() => controller.abort(new Error('the user went away')), 100);
await aborted.catch(({ name, code, cause }) => console.log(`${name} ${code}: ${cause.message}`));

const late = pool.run('forever', { timeout: 100 });
await late.catch(({ name, code }) => console.log(`${name} ${code}`));

// The loop could only be stopped with its worker. The next task runs in a new one.
console.log(await pool.run('once'));

await pool.close();
