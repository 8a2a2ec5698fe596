import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { Trace, TracedJob } from 'plimsoll/lab';
import { predictionPage } from '#studies/predict/page.js';
import type { PredictionStudy } from '#studies/predict/result.js';
import { withoutLoading } from '#studies/predict/without-loading.js';
import { published, ROOT, study } from './support.js';

const SIZES = [1, 2, 8, 16, 64];
const read = (): PredictionStudy => JSON.parse(published('prediction.json')) as PredictionStudy;

describe('npm run study:predict', () => {
  test('one workload, one run of each size, and its page', async () => {
    const { code, stdout, stderr } = await study('predict', 'cpu-burst', '--runs', '1', '--scale', '0.05');
    assert.equal(code, 0, stderr);
    assert.match(stdout, /^median error: mean \d+\.\d %/m);
    const file = (name: string): string => readFileSync(join(ROOT, '.cache/study-predict', name), 'utf8');
    const [result] = (JSON.parse(file('prediction.json')) as PredictionStudy).results;
    assert.equal(result?.name, 'cpu-burst');
    assert.equal(result.spread.length, 6);
    assert.deepEqual(
      result.predictions.map(({ compared }) => compared.map(({ size }) => size)),
      [SIZES, [2, 4]],
    );
    assert.ok(Number.isFinite(result.twin?.value), 'the twin was measured');
    const page = file('prediction.md');
    assert.match(page, /^\| cpu-burst \|( [\d.]+ % \|){6}$/m);
    assert.match(page, /^### cpu-burst$/m);
    assert.doesNotMatch(page, /undefined|NaN|\[object/);
  });

  test('bad arguments end with 2', async () => {
    for (const [args, right] of [
      [['nonsense'], /there are cpu-burst/],
      [['--runs', '0'], /--runs/],
      [['--scale', '-1'], /--scale/],
      [['--objective', 'luck'], /makespan/],
    ] as const) {
      const { code, stderr } = await study('predict', ...args);
      assert.equal(code, 2);
      assert.match(stderr, right);
    }
  });

  test('the published page is what the published result says', () => {
    assert.equal(predictionPage(read()), published('prediction.md'));
  });

  test('a new measurement leaves the notes on the old one behind', () => {
    assert.match(predictionPage(read()), /^## Notes on this measurement$/m);
    const page = predictionPage({ ...read(), startedAt: '2030-01-01T00:00:00.000Z' });
    assert.doesNotMatch(page, /Notes on this measurement|Close to saturation/i);
  });
});

describe('the jobs of loading a workload', () => {
  const job = (submitMs: number, callbackMs: number, parent: number | null): TracedJob =>
    ({ submitMs, callbackMs, parent, operation: null }) as TracedJob;
  const trace = (jobs: TracedJob[]): Trace =>
    ({ processes: [{ jobs, operations: [], requests: [] }] }) as unknown as Trace;
  const left = (jobs: TracedJob[]): readonly TracedJob[] =>
    withoutLoading(trace(jobs)).processes[0]?.jobs ?? [];

  test('end with the first silence; what follows keeps its parents', () => {
    const jobs = [job(0, 5, null), job(1, 40, 0), job(300, 310, 1), job(310, 320, 2), job(900, 910, 3)];
    assert.deepEqual(left(jobs), [job(300, 310, null), job(310, 320, 0), job(900, 910, 1)]);
  });

  test('are none without a silence: a job that is still under way is no silence', () => {
    const jobs = [job(0, 400, null), job(10, 20, null), job(410, 420, 1)];
    assert.deepEqual(left(jobs), jobs);
  });
});
