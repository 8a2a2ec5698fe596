import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { captureEnvironment, createRandom } from '@plimsoll/lab';
import { watchChildren } from '#studies/adopters/memory.js';
import { adopters } from '#studies/adopters/study.js';
import { chosen, merged } from '#studies/common/merge.js';
import { pageOf } from '#studies/common/page.js';
import type { ConditionResult, StudyResult } from '#studies/common/result.js';
import { published, study } from './support.js';

const directory = mkdtempSync(join(tmpdir(), 'plimsoll-adopters-'));
after(() => rmSync(directory, { recursive: true, force: true }));

const random = createRandom(1);
const near = (value: number): number[] => [value * (1 + random.next() / 100)];

/** Six generations of each condition whose id has the text; ours takes so many times the time of the original. */
function made(text: string, times: number, code: string): StudyResult {
  const conditions = chosen(adopters, text)
    .conditions('full')
    .map(({ seconds, ...about }): ConditionResult => {
      const figures = (value: number) => ({ total: near(value), build: near(value), peak: near(value) });
      const generations = Array.from({ length: 6 }, () => ({
        ...{ original: figures(100), twin: figures(100), plimsoll: figures(100 * times), none: figures(50) },
      }));
      const method: ConditionResult['method'] = {
        ...{ mode: 'isolated', seconds, tookSeconds: 1, blocks: 1, generations: 6, mostGenerations: 6 },
        ...{ rounds: 6, looks: 6, stop: 'time' },
      };
      return { ...about, method, disturbances: [], lost: [], failure: null, generations };
    });
  return {
    ...{ schema: 'plimsoll/1', kind: 'study', name: 'adopters', effort: 'full', seconds: 5, seed: 1 },
    startedAt: `2026-11-2${times < 1 ? 1 : 2}T00:00:00.000Z`,
    environment: captureEnvironment({ directory }),
    versions: { '@plimsoll/pool': `0.1.0 (code ${code})` },
    conditions,
  };
}

describe('the study of adopters', () => {
  test('conditions measured later stand beside earlier ones, each with its date and code', () => {
    const all = merged(adopters, made('-', 0.5, 'aaaa'), made('webpack', 1.5, 'bbbb'));
    assert.deepEqual(
      all.conditions.map(({ id }) => id),
      adopters.conditions('full').map(({ id }) => id),
    );
    for (const { id, measured } of merged(adopters, all, made('vitest', 1, 'cccc')).conditions) {
      const code = id.startsWith('webpack') ? 'bbbb' : id.startsWith('vitest') ? 'cccc' : 'aaaa';
      assert.equal(measured?.versions['@plimsoll/pool'], `0.1.0 (code ${code})`, id);
    }
    const page = pageOf(adopters, all);
    assert.match(page, /; measured 2026-11-21 with @plimsoll\/pool 0\.1\.0 \(code aaaa\), seed 1\./);
    assert.match(page, /; measured 2026-11-22 with @plimsoll\/pool 0\.1\.0 \(code bbbb\), seed 1\./);
  });

  test('results of other machines are not put together', () => {
    const earlier = made('-', 1, 'aaaa');
    const { environment } = earlier;
    const elsewhere = { ...environment, node: { ...environment.node, version: '1.2.3' } };
    assert.throws(
      () => merged(adopters, { ...earlier, environment: elsewhere }, earlier),
      /is of Node 1\.2\.3/,
    );
  });

  test('the page begins with the worst build, and counts', () => {
    const all = merged(adopters, made('-', 0.5, 'aaaa'), made('webpack-noop-1300', 1.5, 'bbbb'));
    const page = pageOf(adopters, all);
    assert.match(
      page,
      /^- Worst: webpack .*, a loader that does nothing: 1300 modules: 1\.5.*\(\*\*slower\*\*\)/m,
    );
    const count = all.conditions.length;
    assert.match(
      page,
      new RegExp(`Of ${count} builds ${count - 1} are faster, 0 gain nothing, and 1 are slower`),
    );
    assert.match(pageOf(adopters, made('terser', 1, 'aaaa')), /\(no gain\)/);
  });

  test('the best build is one of those that are faster, whatever the estimates of others', () => {
    const page = pageOf(adopters, JSON.parse(published('adopters.json')) as StudyResult);
    const rows = page.match(/^\| .* \| faster \|.*$/gm) ?? [];
    assert.ok(rows.length > 0);
    const best = /^- Best: (.*) times the time \(faster\)\.$/m.exec(page)?.[1];
    assert.ok(
      rows.some((row) => best?.split(': ').every((part) => row.includes(part))),
      best,
    );
  });

  test('the published page is what the published result says', () => {
    const result = JSON.parse(published('adopters.json')) as StudyResult;
    assert.equal(pageOf(adopters, result), published('adopters.md'));
  });

  test('a condition that is not there is refused', async () => {
    const { code, stderr } = await study('adopters', '--only', 'grunt', '--out', directory);
    assert.equal(code, 2);
    assert.match(stderr, /no condition "grunt"; there are rspack-noop-300/);
  });
});

test('the memory of child processes is seen', { skip: process.platform !== 'linux' }, async () => {
  const { spawn } = await import('node:child_process');
  const hold =
    "process.on('disconnect', process.exit); globalThis.held = Buffer.alloc(2e8, 1); process.send('');";
  const stop = watchChildren(process.pid);
  const child = spawn(process.execPath, ['-e', hold], { stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
  await new Promise((resolve) => child.once('message', resolve));
  await new Promise((resolve) => setTimeout(resolve, 200));
  child.disconnect();
  await new Promise((resolve) => child.once('exit', resolve));
  assert.ok(stop() > 190);
});
