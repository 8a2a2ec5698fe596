import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual, promisify } from 'node:util';
import { serialize } from 'node:v8';
import type { Environment } from '@plimsoll/lab';
import type { Estimate } from '#benchmarks/common/estimate.js';
import type { BenchPoolResult, CaseResult, Row } from '#benchmarks/result.js';
import { RESULT, readArguments } from '#benchmarks/shapes/arguments.js';
import { carry, order } from '#benchmarks/shapes/carry.js';
import { CONDITIONS, SHAPE_CASES } from '#benchmarks/shapes/case.js';
import { cellsOf, summaryOf } from '#benchmarks/shapes/cells.js';
import { addResult, readResults } from '#benchmarks/shapes/files.js';
import { page } from '#benchmarks/shapes/page.js';
import { README_BLOCK, readmeTable } from '#benchmarks/shapes/readme.js';
import { inFlightOf, SHAPES, type Shape, sizeOf } from '#benchmarks/shapes/shapes.js';

const MB = 2 ** 20;
const MAIN = fileURLToPath(new URL('../dist/main.js', import.meta.url));
const directory = mkdtempSync(join(tmpdir(), 'plimsoll-shapes-'));
after(() => rmSync(directory, { recursive: true, force: true }));

const shapeNamed = (name: string): Shape => SHAPES.find((shape) => shape.name === name) as Shape;

describe('the shapes', () => {
  test('are 25, each by its own name', () => {
    assert.equal(SHAPES.length, 25);
    assert.equal(new Set(SHAPES.map(({ name }) => name)).size, 25);
    assert.equal(new Set(SHAPES.map(({ title }) => title)).size, 25);
    assert.deepEqual(
      SHAPE_CASES.map(({ title }) => title),
      SHAPES.map(({ title }) => title),
    );
  });

  test('are as large as they say, and the same whenever they are made', () => {
    for (const shape of SHAPES.filter(({ bytes }) => bytes <= 10 * MB)) {
      const value = shape.make();
      const { length } = serialize(value);
      assert.ok(
        length < shape.bytes * 2 + 64 && length > shape.bytes / 2 - 64,
        `${shape.name}: ${length} bytes`,
      );
      assert.ok(isDeepStrictEqual(value, shape.make()), shape.name);
      assert.ok(!Number.isNaN(sizeOf(structuredClone(value))), shape.name);
    }
  });

  test('have 64 in flight, or 16 MB, or four', () => {
    for (const shape of SHAPES) {
      const tasks = inFlightOf(shape);
      assert.ok(tasks === 64 || tasks === 4 || (tasks + 1) * shape.bytes > 16 * MB, shape.name);
      assert.ok(tasks === 4 || tasks * shape.bytes <= 16 * MB, shape.name);
    }
    assert.equal(inFlightOf(shapeNamed('number')), 64);
    assert.equal(inFlightOf(shapeNamed('records-1mb')), 16);
    assert.equal(inFlightOf(shapeNamed('moved-100mb')), 4);
  });

  test('are carried as they are ordered', () => {
    const moved: unknown[] = [];
    const keys = shapeNamed('keys');
    const bytes = shapeNamed('moved-10mb');
    const work = carry((value) => moved.push(value));
    assert.equal(work(order('compare', keys)), null, 'nothing to compare yet');
    assert.equal(work(structuredClone(keys.make())), undefined);
    assert.equal(work(order('compare', keys)), true);
    assert.equal(work(order('compare', shapeNamed('map'))), false);
    assert.deepEqual(work(order('give', keys)), keys.make());
    assert.equal(work(order('give', keys)), work(order('give', keys)), 'made beforehand');
    assert.equal(work(order('give', bytes)), 1);
    assert.equal(work(order('give', bytes)), 2, 'moved, each one a new one');
    assert.notEqual(moved[0], moved[1]);
    assert.throws(() => work(undefined), /the worker was sent undefined/);
  });
});

const estimate = (value: number, spread = 0.01): Estimate => ({
  value,
  low: value - spread,
  high: value + spread,
  level: 0.96,
});

const row = (contender: Row['contender'], rates: readonly Estimate[] | null, cpu = 0.5): Row => ({
  contender,
  title: contender,
  without: rates === null ? 'failed 6 of 6 times: Error: it broke' : null,
  medians: Object.fromEntries(CONDITIONS.map(({ id }) => [id, 1000])),
  times: Object.fromEntries(
    CONDITIONS.flatMap(({ id }, index) => [
      [id, rates?.[index] ?? null],
      [`${id}-cpu`, rates === null ? null : estimate(cpu)],
    ]),
  ),
});

const caseResult = (name: string, ...rows: Row[]): CaseResult => ({
  name: `shapes/${name}`,
  title: name,
  description: '',
  effort: 'full',
  measuredAt: '2026-11-27T00:00:00.000Z',
  seconds: 10,
  seed: 1,
  blocks: 6,
  repeatedBlocks: 0,
  twin: estimate(1),
  rows,
  reached: [],
  runs: [],
});

const result = (node: string, cases: readonly CaseResult[], code = 'a'): BenchPoolResult => ({
  schema: 'plimsoll/1',
  kind: 'bench-pool',
  environment: {
    node: { version: node },
    cpu: { model: 'A', effectiveCpus: 2 },
    os: { memoryTotalBytes: 1 },
    limits: {},
    filesystem: {},
  } as unknown as Environment,
  versions: { '@plimsoll/pool': code, piscina: '5.3.2' },
  interrupted: false,
  cases,
});

const rates = (...values: number[]): Estimate[] => values.map((value) => estimate(value));
const piscina = row('piscina', [], 1);
const NODE_20 = result('20.1.0', [
  caseResult('number', row('plimsoll', rates(4, 5, 6, 7)), piscina),
  caseResult('keys', row('plimsoll', [...rates(0.2, 3, 3), estimate(0.88, 0.1)], 6.6), piscina),
  caseResult('map', row('plimsoll', null), piscina),
]);
const NODE_24 = result('24.1.0', [
  caseResult('object', row('plimsoll', rates(8, 9, 10, 11)), piscina),
  caseResult('keys', row('plimsoll', rates(0.95, 3, 3, 3)), piscina),
]);

describe('what was measured', () => {
  const cells = [NODE_20, NODE_24].flatMap(cellsOf);

  test('is counted by cells, the worst first', () => {
    const summary = summaryOf(cells);
    assert.equal(cells.length, 16);
    assert.equal(summary?.worst.rate.value, 0.2);
    assert.equal(summary?.worst.node, '20.1.0');
    assert.equal(summary?.median, 3.5);
    assert.equal(summary?.under, 2);
    assert.equal(summary?.surelyUnder, 1, 'the interval of 0.88 reaches 0.98');
    assert.equal(summary?.mostCpu?.cpu.value, 6.6);
    assert.equal(summaryOf([]), null);
  });

  test('is a page that begins with the worst cell and with what has no figures', () => {
    const text = page([NODE_20, NODE_24], 'x.json');
    const [, , worst] = text.split('\n');
    assert.match(
      worst ?? '',
      /^\*\*The worst cell: 0\.200 \[0\.190, 0\.210\] .*1,000 keys; in, one in flight; Node 20/,
    );
    assert.match(text, /Of 16 cells 2 are under 0\.9, 1 of them with their whole interval/);
    assert.match(text, /\*\*Without figures:\*\*\n\n- Node 20\.1\.0, Map of .*it broke/);
    assert.match(text, /\| object with 1,000 keys \| 64 \| \*\*0\.200 \[.*\*\* \| 3\.00 \[/);
    assert.match(text, /\| Map of 10,000, text to number \| 64 \| – \| – \| – \| – \|/);
    assert.ok(text.indexOf('## Node 20') < text.indexOf('## Node 24'));
  });

  test('is a table of the README with the row of the worst cell', () => {
    const table = readmeTable([NODE_20, NODE_24]);
    assert.match(table, /on Node 24\.1\.0/);
    assert.match(table, /is\s+3\.50,\s+the\s+worst\s+is\s+0\.200/);
    assert.match(table, /\| object with 3 keys \| 8\.00 \[/);
    assert.match(table, /\| object with 1,000 keys \| 0\.950 \[/);
    assert.throws(() => readmeTable([]), /no shape was measured/);
  });

  test('stays beside what is measured later with the same code, and no longer', () => {
    const file = join(directory, 'kept.md');
    const kept = (): string[] =>
      (readResults(file) ?? []).map(
        ({ environment, cases }) => `${environment.node.version}: ${cases.map(({ title }) => title).join()}`,
      );
    addResult(file, NODE_24);
    addResult(file, NODE_20);
    assert.deepEqual(kept(), ['20.1.0: number,keys,map', '24.1.0: object,keys']);
    addResult(file, result('20.1.0', [caseResult('tree', piscina)]));
    assert.deepEqual(kept(), ['20.1.0: number,map,keys,tree', '24.1.0: object,keys']);
    addResult(file, result('20.2.0', [caseResult('tree', piscina)]));
    assert.deepEqual(kept(), ['20.2.0: tree', '24.1.0: object,keys']);
    addResult(file, result('22.1.0', [caseResult('set', piscina)], 'b'));
    assert.deepEqual(kept(), ['22.1.0: set']);
  });
});

test('the page and the table of the README are those of the result', () => {
  const fileOf = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url));
  const results = readResults(fileOf(`${RESULT}.md`));
  // Until it has been measured.
  if (results === undefined) return;
  const hint = 'run npm run bench:pool -- shapes --readme';
  const readme = readFileSync(fileOf('packages/pool/README.md'), 'utf8');
  assert.equal(readFileSync(fileOf(`${RESULT}.md`), 'utf8'), page(results, 'pool-shapes.json'), hint);
  assert.equal(README_BLOCK.textIn(readme), readmeTable(results), hint);
});

test('the README has a place for its table', () => {
  const readme = readFileSync(new URL('../../packages/pool/README.md', import.meta.url), 'utf8');
  assert.equal(README_BLOCK.textIn(README_BLOCK.replacedIn(readme, 'a table')), 'a table');
});

const run = promisify(execFile);

describe('npm run bench:pool -- shapes', () => {
  test('carries shapes in and out, alone and many at once, and writes the page', async () => {
    const file = join(directory, 'pool-shapes.md');
    // The lines of Node take turns with a number and a tree.
    const copied = (Number.parseInt(process.versions.node, 10) / 2) % 2 === 0 ? 'number' : 'tree';
    const only = copied === 'number' ? [copied, 'moved-100mb', 'memory'] : ['moved-100mb', copied, 'memory'];
    const args = ['--effort', 'smoke', '--only', only.join(), '--page', file];
    const { stdout } = await run(process.execPath, [MAIN, 'shapes', ...args]);
    assert.match(stdout, /The worst cell/);
    const [measured] = readResults(file) ?? [];
    assert.deepEqual(
      measured?.cases.map(({ name }) => name.replace('shapes/', '')),
      only,
    );
    for (const { name, rows, runs } of measured?.cases ?? []) {
      for (const { contender, without } of rows) assert.equal(without, null, `${name}, ${contender}`);
      for (const { metrics } of runs) assert.ok(Object.values(metrics ?? {}).every(Number.isFinite), name);
    }
    const text = readFileSync(file, 'utf8');
    assert.match(text, /## Memory after large values/);
    assert.match(text, /\| 100 MB of bytes, moved \| 4 \|/);
  });

  test('refuses what is not there, and measures nothing for the README', async () => {
    for (const [args, message] of [
      [['--only', 'knots'], /there is no "knots"; there are number/],
      [['--nodes', '18'], /must be some of 20, 22, 24, 26/],
      [['--pools', 'knitting'], /there is no pool/],
      [['--effort', 'much'], /full, quick, smoke/],
    ] as const)
      await assert.rejects(readArguments(args), { code: 'PLIMSOLL_USAGE', message });
    const args = ['--readme', '--page', join(directory, 'none.md')];
    await assert.rejects(run(process.execPath, [MAIN, 'shapes', ...args]), {
      code: 2,
      stderr: /none\.json: measure first/,
    });
    assert.ok(!existsSync(join(directory, 'none.md')));
  });
});
