import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { readArguments } from '#benchmarks/arguments.js';
import { CASES } from '#benchmarks/cases/cases.js';
import { ALL } from '#benchmarks/contenders/contenders.js';
import type { BenchPoolResult, CaseResult } from '#benchmarks/result.js';

const MAIN = fileURLToPath(new URL('../dist/main.js', import.meta.url));
const directory = mkdtempSync(join(tmpdir(), 'plimsoll-bench-pool-'));
after(() => rmSync(directory, { recursive: true, force: true }));

interface Ended {
  code: number;
  stdout: string;
  stderr: string;
}

const benchPool = (...args: string[]): Promise<Ended> =>
  new Promise((resolve) => {
    execFile(process.execPath, [MAIN, ...args], (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
    );
  });

const parse = (text: string): readonly CaseResult[] => (JSON.parse(text) as BenchPoolResult).cases;

/** The lines of Node take turns: two in a row run every case. */
const TURN = (Number.parseInt(process.versions.node, 10) / 2) % 2;
const OWN_CASES = CASES.filter((_, index) => index % 2 === TURN);

describe('npm run bench:pool', () => {
  test('every second case runs, and every figure that it promises is there', async () => {
    const { code, stdout, stderr } = await benchPool(
      ...OWN_CASES.map(({ name }) => name),
      '--effort',
      'smoke',
      '--pools',
      'plimsoll',
      '--json',
      '-',
      '--page',
      join(directory, 'pool.md'),
    );
    assert.equal(code, 0, stderr);
    const cases = parse(stdout);
    assert.deepEqual(
      cases.map(({ name }) => name),
      OWN_CASES.map(({ name }) => name),
    );
    for (const [index, { name, rows, runs, reached }] of cases.entries()) {
      for (const { contender, without } of rows) assert.equal(without, null, `${name}, ${contender}`);
      for (const { metrics } of runs)
        for (const { id } of OWN_CASES[index]?.metrics ?? [])
          assert.ok(Number.isFinite(metrics?.[id]), `${name}: ${id} is ${metrics?.[id]}`);
      assert.equal(reached.length, OWN_CASES[index]?.targets.length);
    }
    const page = readFileSync(join(directory, 'pool.md'), 'utf8');
    for (const { title } of OWN_CASES) assert.ok(page.includes(`## ${title}`), title);
  });

  test('every contender runs, and what one cannot do is said', async () => {
    const smoke = ['--effort', 'smoke', '--json', '-'];
    const { code, stdout, stderr } = await benchPool('throughput', ...smoke);
    assert.equal(code, 0, stderr);
    const [throughput] = parse(stdout);
    assert.deepEqual(
      throughput?.rows.map(({ contender, without }) => [contender, without]),
      ALL.map((name) => [name, null]),
    );
    const unable = await benchPool('transferred', '--pools', 'poolifier', ...smoke);
    assert.equal(unable.code, 0, unable.stderr);
    const [transferred] = parse(unable.stdout);
    const poolifier = transferred?.rows.find(({ contender }) => contender === 'poolifier');
    assert.match(poolifier?.without ?? '', /cannot be transferred/);
  });

  test('bad arguments end with 2 and say what is right', async () => {
    const { code, stderr } = await benchPool('nonsense');
    assert.equal(code, 2);
    assert.match(stderr, /there are throughput/);
    for (const [args, message] of [
      [['--blocks', '0'], /whole number from 1/],
      [['--pools', 'knitting'], /there are plimsoll/],
      [['--node', '/nowhere/node'], /--node/],
      [['--effort', 'much'], /full, quick, smoke/],
      [['--frobnicate'], /frobnicate/],
    ] as const) {
      assert.throws(() => readArguments(args), { code: 'PLIMSOLL_USAGE', message });
    }
  });
});
