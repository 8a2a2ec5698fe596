import assert from 'node:assert/strict';
import { TestPool } from '@plimsoll/pool/testing';
import { reportFor } from './service.mjs';
import { user } from './storages.mjs';

const options = { filename: new URL('./worker.mjs', import.meta.url), context: { user }, retry: { max: 1 } };
for (let seed = 0; seed < 20; seed++) {
  const pool = new TestPool({ ...options, seed });
  const crash = pool.inject({ kind: 'crash', name: 'greet' });
  const report = await reportFor(pool, 'Ada', ['error']);
  assert.equal(report, 'hello, Ada: asked by Ada; 1 errors');
  assert.equal(crash.hits, 1);
  await pool.close();
}
console.log('20 orders, each with a crash: the same report');
