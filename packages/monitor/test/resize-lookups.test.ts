import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fixture, IS_LINUX, runNode } from './support.js';

/** musl has no HOSTALIASES. */
const skip = !(
  IS_LINUX && 'glibcVersionRuntime' in (process.report.getReport() as { header: object }).header
);

/** @param size of the pool in the end */
async function lookups(
  variable: number,
  size: number,
  ...args: string[]
): Promise<{ running: number; slowLimit: number }> {
  const env = { ...process.env, UV_THREADPOOL_SIZE: String(variable) };
  const { stdout, stderr } = await runNode(
    [fixture('resize-lookups.cjs'), String((size + 1) >> 1), ...args],
    { env },
  );
  assert.equal(stderr, '');
  return JSON.parse(stdout) as { running: number; slowLimit: number };
}

for (const size of [1, 2, 4, 8, 16])
  test(`as many lookups run at a time as in a process that started with ${size} threads`, {
    skip,
  }, async () => {
    const real = await lookups(size, size);
    assert.equal(real.running, (size + 1) >> 1);
    assert.deepEqual(await lookups(16, size, String(size)), real);
  });

test('lookups that wait for their limit run at once when the size grows', { skip }, async () => {
  assert.equal((await lookups(16, 8, '8', 'later')).running, 4);
});
