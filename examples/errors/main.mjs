import { Pool } from '@plimsoll/pool';

const pool = new Pool({ filename: new URL('./worker.mjs', import.meta.url) });

try {
  await pool.run('{"port": }', { name: 'parse' });
} catch (error) {
  console.log(`${error.name} ${error.code}: ${error.message}`);
  console.log(`caused by ${error.cause.name}, file ${error.file}`);
}

const failures = await Promise.allSettled([
  pool.run(1, { name: 'quit' }),
  pool.run(() => {}, { name: 'parse' }),
]);
for (const { reason } of failures) console.log(`${reason.name} ${reason.code}`);

console.log(await pool.run('{"port": 80}', { name: 'parse' }));
await pool.close();
