import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { installedVersions } from '#benchmarks/common/versions.js';
import { readArguments } from '#benchmarks/features/arguments.js';
import { check, problemsOf } from '#benchmarks/features/check.js';
import { FEATURES, ROWS } from '#benchmarks/features/features.js';
import { absent } from '#benchmarks/features/names.js';
import { fact, judge } from '#benchmarks/features/outcome.js';
import { POOL_NAMES, POOLS } from '#benchmarks/features/pools/pools.js';
import { page, README_BLOCK, readmeTable } from '#benchmarks/features/report.js';
import { type FeaturesResult, together } from '#benchmarks/features/result.js';
import { runProbe } from '#benchmarks/features/run.js';

const read = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
const result = JSON.parse(read('docs/results/pool-features.json')) as FeaturesResult;
const hint = 'run npm run check:features -- --write';
const never = new AbortController().signal;

/** Each probe is a process: the lines of Node take turns, and two in a row try them all. */
const TURN = (Number.parseInt(process.versions.node, 10) / 2) % 2;

test('every second feature of our own pool is as the page says, by its probe', async () => {
  const features = FEATURES.filter((_, index) => index % 2 === TURN);
  const cells = features.map(({ id }) => ({ pool: 'plimsoll' as const, feature: id }));
  assert.deepEqual(problemsOf(await check(cells, 2, never), result), []);
});

test('the table of the README and the page are those of the answers', () => {
  assert.equal(README_BLOCK.textIn(read('packages/pool/README.md')), readmeTable(result), hint);
  assert.equal(read('docs/results/pool-features.md'), page(result, 'pool-features.json'), hint);
});

test('every cell is there, of the versions that are installed', () => {
  assert.deepEqual(
    result.features.map(({ id }) => id),
    FEATURES.map(({ id }) => id),
    hint,
  );
  for (const { id, pools } of result.features) {
    assert.deepEqual(Object.keys(pools), [...POOL_NAMES], id);
    for (const [pool, { answer, seen, missing }] of Object.entries(pools)) {
      assert.ok(
        answer === 'yes' ? missing.length === 0 : missing.length > 0,
        `${id}, ${pool}: what is missing`,
      );
      assert.ok(answer === 'no' || seen.length > 0, `${id}, ${pool}: what was seen`);
    }
  }
  const peers = POOL_NAMES.map((pool) => POOLS[pool].library).filter(
    (name) => !name.startsWith('@plimsoll/'),
  );
  for (const [name, version] of Object.entries(installedVersions(peers, (peer) => import.meta.resolve(peer))))
    assert.equal(result.versions[name], version, hint);
  assert.equal(new Set(FEATURES.map(({ id }) => id)).size, FEATURES.length);
});

describe('an answer', () => {
  const yes = fact(true, 'seen', 'missing');
  const no = fact(false, 'seen', 'missing');

  test('is yes when all holds, no without what is essential, else partly', () => {
    assert.deepEqual(judge([yes], [yes]), { answer: 'yes', seen: ['seen', 'seen'], missing: [] });
    assert.deepEqual(judge([yes], [no]), { answer: 'partly', seen: ['seen'], missing: ['missing'] });
    assert.equal(judge([no], [yes]).answer, 'no');
  });

  test('of features together is that of all, or partly', () => {
    assert.equal(together(['yes', 'yes']), 'yes');
    assert.equal(together(['no', 'no']), 'no');
    assert.equal(together(['yes', 'no']), 'partly');
    assert.equal(together(['partly']), 'partly');
  });

  test('no is only given when a library has no name for it', async () => {
    const outcome = await absent('piscina', /teleport/i, [], async () => 'nothing came of it');
    assert.equal(outcome.answer, 'no');
    assert.match(outcome.missing.join(), /no name in the API of piscina \d.*teleport.*nothing came of it/);
    await assert.rejects(
      absent('piscina', /^queueSize$/, [], async () => ''),
      /has queueSize: write a probe/,
    );
  });
});

test('a probe that fails is no answer', async () => {
  await assert.rejects(runProbe('plimsoll', 'teleport'), /plimsoll, teleport: TypeError/);
});

test('an answer that has changed is a problem', () => {
  const cell = { pool: 'piscina', feature: 'proxy' } as const;
  const outcome = { answer: 'yes', seen: ['a method was called'], missing: [] } as const;
  assert.deepEqual(problemsOf([{ cell, outcome }], result), [
    'proxy, piscina: yes, was no (a method was called)',
  ]);
});

test('the table is put between the marks', () => {
  const readme = read('packages/pool/README.md');
  const changed = README_BLOCK.replacedIn(readme, 'another\ntable');
  assert.equal(README_BLOCK.textIn(changed), 'another\ntable');
  assert.equal(README_BLOCK.replacedIn(changed, readmeTable(result)), readme);
  assert.throws(() => README_BLOCK.replacedIn('no marks', ''), /has no/);
  assert.ok(readme.includes(`| ${ROWS[0].title} |`));
});

test('npm run check:features refuses what is not there', () => {
  const main = fileURLToPath(new URL('../dist/features/main.js', import.meta.url));
  const { status, stderr } = spawnSync(process.execPath, [main, 'teleport'], { encoding: 'utf8' });
  assert.equal(status, 2);
  assert.match(stderr, /there is no feature teleport; there are abort-waiting/);
  for (const [args, message] of [
    [['--pools', 'knitting'], /there is no pool knitting; there are plimsoll/],
    [['map', '--write'], /nothing can be left out/],
  ] as const)
    assert.throws(() => readArguments(args), { code: 'PLIMSOLL_USAGE', message });
});
