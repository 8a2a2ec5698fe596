import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { checkFleet, checkRun, checkWorker } from '../dist/shared/options.js';

const read = (path: string): string => readFileSync(new URL(path, import.meta.url), 'utf8');
const docs = read('../../../docs/reference/fleet.md');
const readme = read('../README.md');
const options = read('../src/shared/options.ts');

const section = (title: string): string => {
  const start = docs.indexOf(`\n${title}\n`);
  assert.notEqual(start, -1, title);
  return docs.slice(start + 1).split(/\n##+ /)[0] as string;
};

/** The tables of a section, without their heads: each cell as it stands. */
const tablesOf = (title: string): string[][][] =>
  [...section(title).matchAll(/(?:^\|.*\n)+/gm)].map(([table]) =>
    table
      .trimEnd()
      .split('\n')
      .slice(2)
      .map((line) => line.slice(2, -2).split(' | ')),
  );

/** What stands in backticks in the first column. */
const namesIn = (rows: string[][]): string[] =>
  rows.flatMap(([cell = '']) => [...cell.matchAll(/`'?([^`']+)'?`/g)].map(([, name]) => name as string));

const fieldsOf = (source: string, start: string): string[] => {
  const from = source.indexOf(start);
  assert.notEqual(from, -1, start);
  const body = source.slice(from, source.indexOf('\n}', from));
  return [...body.matchAll(/^ {2}readonly (\w+)\??:/gm)].map(([, name]) => name as string);
};
const gettersOf = (source: string): string[] =>
  [...source.matchAll(/^ {2}(?:get (\w+)\(\)|readonly (\w+)\b)/gm)].map(([, a, b]) => (a ?? b) as string);
const eventsOf = (...sources: string[]): string[] => [
  ...new Set(
    sources.flatMap((source) => [...source.matchAll(/emit\('(\w+)'/g)].map(([, name]) => name as string)),
  ),
];

const assertSame = (found: readonly string[], expected: readonly string[]): void =>
  assert.deepEqual([...found].sort(), [...expected].sort());

/** Every default of a table is the one that the checks fill in. */
function assertDefaults(rows: string[][], checked: object): void {
  for (const [cell = '', , given = ''] of rows) {
    const path = cell.slice(1, -1).split('.');
    const value = path.reduce((owner: unknown, name) => (owner as Record<string, unknown>)[name], checked);
    const literal = given.replaceAll(/[`']/g, '');
    if (typeof value !== 'number' && typeof value !== 'string') continue;
    if (!/required|the fleet|the CPUs/.test(given)) assert.equal(literal, String(value), cell);
  }
}

describe('docs/reference/fleet.md has every option with its default', () => {
  const [both = [], own = []] = tablesOf('## `createFleet(options)`');
  const [worker = []] = tablesOf('## `createFleetWorker(options)`');
  const [run = []] = tablesOf('### `fleet.run(task, options?)`');

  test('createFleet', () => {
    assertSame(namesIn(both), fieldsOf(options, 'interface QueueOptions'));
    const keep = fieldsOf(options, 'interface KeepOptions').map((name) => `keep.${name}`);
    const names = fieldsOf(options, 'interface FleetOptions').filter((name) => name !== 'keep');
    assertSame(namesIn(own), [...names, ...keep]);
    assertDefaults([...both, ...own], checkFleet({ queue: 'q' }));
  });

  test('createFleetWorker', () => {
    assertSame(
      namesIn(worker.map(([name = '']) => [name])),
      fieldsOf(options, 'interface FleetWorkerOptions'),
    );
    assertDefaults(worker, checkWorker({ queue: 'q', filename: '/tasks.js' }, 7));
  });

  test('run', () => {
    const [, ofPool = ''] = /FleetRunOptions extends Pick<RunOptions, (.*)>/.exec(options) ?? [];
    const names = [...ofPool.matchAll(/'(\w+)'/g)].map(([, name = '']) => name);
    assertSame(namesIn(run), [...names, ...fieldsOf(options, 'interface FleetRunOptions')]);
    assertDefaults(run, checkRun('default', {}));
  });

  test('map', () => {
    const [map = []] = tablesOf('### `fleet.map(items, options?)`');
    assertSame(namesIn(map), fieldsOf(options, 'interface FleetMapOptions'));
    const [, most] = /DEFAULT_CONCURRENCY = (\d+)/.exec(read('../src/tasks/task-runner.ts')) ?? [];
    assert.equal(map[0]?.[2], most);
  });
});

describe('docs/reference/fleet.md has what there is to see', () => {
  const [fleet, worker] = [read('../src/fleet/fleet.ts'), read('../src/worker/fleet-worker.ts')];

  test('events', () => {
    const [ofFleet = []] = tablesOf('### Events');
    assertSame(namesIn(ofFleet), eventsOf(fleet));
    const [, ofWorker = []] = tablesOf('## `createFleetWorker(options)`');
    const shared = [...section('## `createFleetWorker(options)`').matchAll(/'(\w+)'/g)].map(
      ([, name]) => name,
    );
    assertSame(
      eventsOf(worker).filter((name) => !shared.includes(name)),
      [],
    );
    assertSame(namesIn(ofWorker), ['completed', 'failed']);
  });

  test('statistics', () => {
    const [properties = [], stats = []] = tablesOf('### Statistics');
    const body = fleet.slice(fleet.indexOf('export class Fleet<'));
    assertSame(namesIn(properties.map(([name = '']) => [name])), gettersOf(body));
    assertSame(namesIn(stats.map(([name = '']) => [name])), fieldsOf(fleet, 'interface FleetStats'));
    for (const name of fieldsOf(fleet, 'interface FleetHistogram'))
      assert.ok(section('### Statistics').includes(`\`${name}\``), name);
    const [, , properOfWorker = []] = tablesOf('## `createFleetWorker(options)`');
    const ofWorker = gettersOf(worker.slice(worker.indexOf('export class FleetWorker')));
    assertSame(namesIn(properOfWorker.map(([name = '']) => [name])), ofWorker);
  });

  test('what a worker tells of itself, and the health endpoint', () => {
    for (const name of fieldsOf(read('../src/shared/registry.ts'), 'interface WorkerEntry'))
      assert.ok(section('### Statistics').includes(`\`${name}\``), name);
    const health = read('../src/worker/health.ts');
    for (const name of fieldsOf(health, 'interface Health'))
      assert.ok(section('### Health').includes(`\`${name}\``), name);
    const [, statuses = ''] = /readonly status: (.*);/.exec(health) ?? [];
    for (const [, status = ''] of statuses.matchAll(/'(\w+)'/g))
      assert.ok(section('### Health').includes(`\`${status}\``), status);
  });

  test('the data of a job', () => {
    const [fields = []] = tablesOf('## Using BullMQ directly');
    const wire = read('../src/shared/wire.ts');
    const data = fieldsOf(wire, 'interface JobData').map((name) => `data.${name}`);
    assertSame(namesIn(fields.map(([name = '']) => [name])), [...data, 'returnvalue']);
    for (const name of fieldsOf(wire, 'interface Receipt'))
      assert.ok(fields.at(-1)?.[1]?.includes(`\`${name}\``), name);
  });
});

describe('docs/reference/fleet.md has the command', () => {
  const bin = fileURLToPath(new URL('../bin/plimsoll-worker.js', import.meta.url));
  const { stdout: help } = spawnSync(process.execPath, [bin, '--help'], { encoding: 'utf8' });
  const [rows = [], codes = []] = tablesOf('### `plimsoll-worker`');

  test('its options and their defaults', () => {
    const lines = [...help.matchAll(/^ {2}(--.*?)(?: {2,}(.*))?$/gm)];
    assert.ok(lines.length > 10);
    assertSame(
      rows.map(([name = '']) => name.slice(1, -1)),
      lines.map(([, flag = '']) => flag),
    );
    for (const [, flag, text = ''] of lines) {
      const [, fallback] = /\(default: (.*)\)/.exec(text) ?? [];
      const [, given] = rows.find(([name]) => name === `\`${flag}\``) ?? [];
      if (fallback !== undefined) assert.equal(given, fallback, flag);
    }
  });

  test('its exit codes', () => {
    const [, listed = ''] = /^Exit codes: (.*)$/m.exec(help) ?? [];
    assertSame(
      codes.map(([code = '']) => code),
      [...listed.matchAll(/\b\d\b/g)].map(([code]) => code),
    );
  });
});

test('the README has every option that it need not leave to the reference', () => {
  for (const name of [
    ...fieldsOf(options, 'interface QueueOptions'),
    ...fieldsOf(options, 'interface FleetRunOptions'),
  ])
    assert.ok(readme.includes(`\`${name}\``), `lacks ${name}`);
});
