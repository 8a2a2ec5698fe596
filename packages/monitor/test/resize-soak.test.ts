import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fixture, IS_LINUX, runNode } from './support.js';

/** Some seconds; `npm run soak:resize` does many more. */
const RESIZES = 300;
/** Far above what a heap is at one time and at another, far below what a leak of kilobytes for each resize would be in the long run. */
const GROWTH_MB = 150;

test('no job is lost, run twice or wrong while the size changes', { skip: !IS_LINUX }, async () => {
  const env = { ...process.env, UV_THREADPOOL_SIZE: '16' };
  const { stdout, stderr } = await runNode([fixture('resize-soak.cjs'), String(RESIZES)], { env });
  assert.equal(stderr, '');
  const counts = JSON.parse(stdout) as Record<string, number>;
  assert.ok((counts.jobs as number) > RESIZES && (counts.checks as number) > 10, stdout);
  for (const name of ['wrong', 'twice', 'lost', 'miscounted'])
    assert.equal(counts[name], 0, `${name}: ${stdout}`);
  assert.ok((counts.rssEndMb as number) - (counts.rssStartMb as number) < GROWTH_MB, stdout);
});
