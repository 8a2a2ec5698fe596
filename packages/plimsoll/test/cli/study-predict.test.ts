import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const root = fileURLToPath(new URL('../../../../', import.meta.url));
const SIZES = [1, 2, 8, 16, 64];

test('the study of predictions runs: one workload, one run of each size, and its page', async () => {
  const args = ['scripts/study-predict.mjs', 'cpu-burst', '--runs', '1', '--scale', '0.05'];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: root });
  assert.match(stdout, /^median error: mean \d+\.\d %/m);
  const study = JSON.parse(readFileSync(`${root}.cache/study-predict/prediction.json`, 'utf8'));
  const [{ name, predictions, spread }] = study.results;
  assert.equal(name, 'cpu-burst');
  assert.equal(spread.length, 6);
  const sizes = predictions.map(({ compared }: { compared: { size: number }[] }) =>
    compared.map(({ size }) => size),
  );
  assert.deepEqual(sizes, [SIZES, [2, 4]]);
  const page = readFileSync(`${root}.cache/study-predict/prediction.md`, 'utf8');
  assert.match(page, /^\| cpu-burst \|( [\d.]+ % \|){6}$/m);
  assert.match(page, /^## cpu-burst$/m);
  assert.doesNotMatch(page, /undefined|NaN|\[object/);
});
