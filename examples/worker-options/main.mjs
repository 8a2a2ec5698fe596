import { Pool } from '@plimsoll/pool';

const pool = new Pool({
  filename: new URL('./worker.mjs', import.meta.url),
  maxThreads: 1,
  workerData: { greeting: 'Ahoy' },
  env: { LANGUAGE: 'en' },
  resourceLimits: { maxOldGenerationSizeMb: 32 },
});

console.log(await pool.run('sailor', { name: 'greet' }));
await pool.run(null, { name: 'hoard' }).catch(({ code }) => console.log(code));
console.log(await pool.run('captain', { name: 'greet' }));

await pool.close();
