import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { backpressure } from '#studies/backpressure/study.js';
import { pageOf } from '#studies/common/page.js';
import type { StudyResult } from '#studies/common/result.js';
import { COMMANDS, POOL_STUDIES } from '#studies/common/studies.js';
import { pressure } from '#studies/pressure/study.js';
import { react } from '#studies/react/study.js';
import { scrypt } from '#studies/scrypt/study.js';
import { transfer } from '#studies/transfer/study.js';
import { published, ROOT, study } from './support.js';

const STUDIES = [scrypt, react, backpressure, pressure, transfer];
const directory = mkdtempSync(join(tmpdir(), 'plimsoll-studies-'));
after(() => rmSync(directory, { recursive: true, force: true }));

describe('npm run study', () => {
  test('every study is loaded by its own name, those of worker pools without one', async () => {
    for (const [name, load] of Object.entries(COMMANDS)) assert.equal((await load()).name, name);
    assert.deepEqual(
      POOL_STUDIES,
      STUDIES.map(({ name }) => name),
    );
  });

  for (const { name, title, conditions } of STUDIES) {
    test(`${name} runs, every figure that it promises is there, and its page is written`, async () => {
      const { code, stdout, stderr } = await study(name, '--quick', '--out', directory);
      assert.equal(code, 0, `${stdout}\n${stderr}`);
      const result = JSON.parse(readFileSync(join(directory, `${name}.json`), 'utf8')) as StudyResult;
      const planned = conditions('quick');
      assert.deepEqual(
        result.conditions.map(({ id }) => id),
        planned.map(({ id }) => id),
      );
      for (const [index, { generations, method, lost, failure }] of result.conditions.entries()) {
        assert.deepEqual([lost, failure], [[], null]);
        const { contenders = [], metrics = [] } = planned[index] ?? {};
        const arms = [...contenders.map(({ id }) => id), 'twin'];
        assert.equal(generations.length, method.generations);
        for (const generation of generations) {
          assert.deepEqual(new Set(Object.keys(generation)), new Set(arms));
          for (const arm of arms)
            for (const { id } of metrics)
              assert.equal(generation[arm]?.[id]?.length, method.blocks, `${arm}: ${id}`);
        }
      }
      const page = readFileSync(join(directory, `${name}.md`), 'utf8');
      assert.ok(page.startsWith(`# ${title}\n`));
      for (const condition of planned) assert.ok(page.includes(`## ${condition.title}\n`));
      assert.doesNotMatch(page, /undefined|\[object/);
    });
  }

  for (const one of STUDIES)
    test(`the published page of ${one.name} is what its published result says`, () => {
      const result = JSON.parse(published(`${one.name}.json`)) as StudyResult;
      assert.equal(pageOf(one, result), published(`${one.name}.md`));
    });

  test('bad arguments end with 2', async () => {
    for (const [args, right] of [
      [['nonsense'], /there are scrypt, react/],
      [['--time', '0'], /whole number from 1/],
      [['scrypt', '--from', join(ROOT, 'docs/results/timeline.json')], /no result of study:scrypt/],
      [['--frobnicate'], /frobnicate/],
    ] as const) {
      const { code, stderr } = await study(...args);
      assert.equal(code, 2);
      assert.match(stderr, right);
    }
  });
});
