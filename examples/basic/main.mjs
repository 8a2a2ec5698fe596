import { Pool } from '@plimsoll/pool';

const pool = new Pool({ filename: new URL('./worker.mjs', import.meta.url) });

const limits = [10_000, 100_000, 1_000_000];
const counts = await Promise.all(limits.map((limit) => pool.run(limit)));
for (const [index, limit] of limits.entries()) console.log(`${counts[index]} primes up to ${limit}`);

await pool.close();
