import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { type LoadResult, loadSchema } from '#studies/load/result.js';
import { command, fixture, until } from './cli.js';
import { freePort } from './port.js';

const linux = process.platform === 'linux' ? {} : { skip: 'counts threads in /proc' };
/** One generation. */
const SMALL = ['load', '--iterations', '200', '--json', '-', '--quiet', '--seed', '7', '--time', '0.1'];

async function loaded(args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<LoadResult> {
  const run = await command([...SMALL, ...args], { env });
  assert.equal(run.code, 0, run.stderr);
  assert.deepEqual(run.left, []);
  return loadSchema.parse(JSON.parse(run.stdout));
}

describe('the sample server', linux, () => {
  // Several sizes by PM2, whose daemons take long: study.test.ts.
  for (const [mode, workers, sizes] of [
    ['node', 1, [3, 6]],
    ['cluster', 2, [3, 6]],
    ['pm2-fork', 1, [3]],
    ['pm2-cluster', 2, [3]],
  ] as const)
    test(`${mode}: the size reaches every worker, and every operation is measured`, async () => {
      const { cells, failures } = await loaded(['--mode', mode, '--case', '1', '--sizes', String(sizes)]);
      assert.deepEqual(failures, []);
      assert.deepEqual(
        cells.map(({ size }) => size),
        sizes,
      );
      for (const { size, observedThreads, operationMs, httpMs, bystanderMs, ...cell } of cells) {
        assert.deepEqual(observedThreads, Array(workers).fill(size));
        assert.equal(operationMs?.count, 150);
        assert.equal(httpMs?.count, 15);
        assert.ok((bystanderMs?.count ?? 0) > 0);
        assert.equal(cell.errors, 0);
        assert.equal(cell.instances, workers);
        assert.ok((cell.cpuSeconds ?? 0) > 0 && (cell.maxRssBytes ?? 0) > 2 ** 20);
        const { min = 0, mean = 0, max = 0, p50 = 0, p99 = 0 } = operationMs ?? {};
        assert.ok(0 < min && min <= p50 && p50 <= p99 && p99 <= max && min <= mean && mean <= max);
        // The last operation ends the run, and none is done before its request came in.
        assert.equal(cell.wallMs, cell.completionMs?.max);
        assert.ok((cell.completionMs?.mean ?? 0) >= mean - 1);
      }
    });

  test('several cases and modes make a table each', async () => {
    const args = ['--mode', 'node,cluster', '--instances', '1', '--case', '2,3', '--sizes', '2,4'];
    const { cells, tables, recommended, method } = await loaded(args);
    assert.deepEqual(
      method.tables.map(({ mode, case: name, parallel, requests }) => [mode, name, parallel, requests]),
      ['node', 'cluster'].flatMap((mode) => [
        [mode, '2', 15, 1],
        [mode, '3', 15, 5],
      ]),
    );
    assert.equal(cells.length, 8);
    assert.equal(recommended.length, 4);
    assert.deepEqual(
      tables.map(({ method: { mode, stop } }) => [mode, stop]),
      Array(4).fill(['alternating', 'time']),
    );
    for (const cell of cells) {
      const sent = (cell.parallel ?? 0) * (cell.requests ?? 0);
      assert.equal(cell.operationMs?.count, 10 * sent);
      assert.equal(cell.httpMs?.count, sent);
      // Too few generations: nothing is proven, but that the baseline is as fast as itself.
      assert.ok(cell.generations >= 1 && cell.generations < 4, `${cell.generations}`);
      assert.equal(cell.verdict, cell.size === 4 ? 'same' : 'unclear');
    }
    for (const { size } of recommended) assert.equal(size, null);
  });

  test('any other closed loop', async () => {
    const args = ['--parallel', '3', '--requests', '4', '--ops', '2', '--sizes', '4', '--isolated'];
    const { cells } = await loaded(args);
    assert.equal(cells[0]?.httpMs?.count, 12);
    assert.equal(cells[0]?.operationMs?.count, 24);
  });

  test('an open loop sends the same requests at every size, and waits for their operations', async () => {
    const args = ['--rate', '40', '--duration', '1.5', '--ops', '2', '--operation', 'sleep:10'];
    const { cells } = await loaded([...args, '--sizes', '2,4']);
    // The twin's slices are among those of the baseline.
    const slices = cells.flatMap(({ rounds }) => rounds.filter(({ twin }) => !twin));
    for (const { generation, block } of slices) {
      const sent = slices.filter((slice) => slice.generation === generation && slice.block === block);
      assert.equal(new Set(sent.map((slice) => slice.sent)).size, 1, JSON.stringify(sent));
    }
    assert.ok((slices[0]?.sent ?? 0) > 20);
    for (const { httpMs, rate, parallel } of cells) {
      assert.equal(rate, 40);
      assert.equal(parallel, null);
      assert.ok((httpMs?.min ?? 0) >= 10, 'no answer before its operations are done');
    }
  });

  test('operations that hold a thread without CPU take as long as the pool is narrow', async () => {
    // 60 operations of 20 ms: 30 rounds of 2, or 8 rounds of 8. A machine that is slow adds to both; one that stops, to some slices.
    const args = ['--operation', 'sleep:20', '--ops', '60', '--parallel', '1', '--requests', '1'];
    const { cells } = await loaded([...args, '--sizes', '2,8', '--time', '4']);
    const [two, eight] = cells.map(({ rounds }) => rounds.map(({ wallMs }) => wallMs)) as [
      number[],
      number[],
    ];
    assert.ok(Math.min(...two) >= 600, `${two}`);
    assert.ok(
      Math.min(...eight) >= 160 && Math.min(...eight) < Math.max(...two) * 0.75,
      `${eight} of ${two}`,
    );
  });

  test('another operation, with a file of its own', async () => {
    const args = ['--operation', 'readFile', '--sizes', '4', '--case', '2', '--ops', '1', '--isolated'];
    const { cells } = await loaded(args);
    assert.equal(cells[0]?.operationMs?.count, 15);
    assert.equal(cells[0]?.errors, 0);
  });

  test("a user's module as the operation", async () => {
    const { cells } = await loaded([
      '--operation',
      fixture('does-not-use-pool.mjs'),
      '--sizes',
      '4',
      '--ops',
      '1',
      '--isolated',
    ]);
    assert.equal(cells[0]?.operationMs?.count, 15);
  });

  test('a size whose worker dies under the load is out with its reason, and the others go on', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'plimsoll-test-'));
    const args = ['--mode', 'cluster', '--operation', fixture('dies-at-size-3.mjs'), '--ops', '2'];
    const run = await command([...SMALL, ...args, '--sizes', '3,4', '--case', '3'], {
      env: { DIED_FILE: join(directory, 'died') },
    });
    const { cells, tables, failures } = loadSchema.parse(JSON.parse(run.stdout));
    assert.deepEqual(failures, []);
    assert.deepEqual(
      tables[0]?.lost.map(({ size, code }) => [size, code]),
      [[3, 'PLIMSOLL_TARGET_DIED']],
    );
    assert.match(run.stderr, /a process of the server died under the load at size 3/);
    for (const { size, ratio } of cells) assert.equal(ratio === null, size === 3, `${size}`);
    assert.equal(run.code, 4);
    rmSync(directory, { recursive: true });
  });

  test('one server at a time, when asked for', async () => {
    const { tables, cells } = await loaded(['--isolated', '--blocks', '2', '--time', '60', '--sizes', '2,4']);
    assert.deepEqual(
      tables.map(({ method: { mode, generations, blocks } }) => [mode, generations, blocks]),
      [['isolated', 2, 1]],
    );
    assert.deepEqual(
      cells.map(({ rounds }) => rounds.length),
      [2, 4],
    );
  });
});

describe("a user's command", linux, () => {
  test('that owns its port is started for every slice with the size, loaded, and gone afterwards', async () => {
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const run = await command(
      [
        ...[
          'load',
          '--url',
          `${url}/work`,
          '--bystander',
          `${url}/health`,
          '--sizes',
          '2,5',
          '--parallel',
          '3',
        ],
        ...['--requests', '20', '--blocks', '1', '--json', '-', '--quiet'],
        ...['--', process.execPath, fixture('servers/app.mjs')],
      ],
      { env: { PORT: String(port) } },
    );
    assert.equal(run.code, 0, run.stderr);
    const { cells, tables, method, environment } = loadSchema.parse(JSON.parse(run.stdout));
    assert.equal(method.target, 'command');
    assert.equal(tables[0]?.method.mode, 'isolated');
    for (const cell of cells) {
      assert.deepEqual(cell.observedThreads, [cell.size]);
      assert.equal(cell.httpMs?.count, 60);
      assert.equal(cell.operationMs, null);
      assert.ok((cell.bystanderMs?.count ?? 0) > 0);
      assert.ok((cell.cpuSeconds ?? 0) >= 0 && (cell.maxRssBytes ?? 0) > 2 ** 20);
    }
    assert.doesNotMatch(
      JSON.stringify({ method, environment }),
      new RegExp(`${port}|fixtures`),
      'names no place',
    );
    await assert.rejects(fetch(url), 'it was stopped');
  });

  test('whose port is free to choose lives at every size at once', async () => {
    const url = 'http://127.0.0.1:{port}';
    const run = await command([
      ...['load', '--url', `${url}/work`, '--bystander', `${url}/health`, '--sizes', '2,5'],
      ...['--parallel', '3', '--requests', '5', '--time', '0.1', '--json', '-', '--quiet'],
      ...['--', process.execPath, fixture('servers/app.mjs'), '{port}'],
    ]);
    assert.equal(run.code, 0, run.stderr);
    assert.deepEqual(run.left, []);
    const { cells, tables } = loadSchema.parse(JSON.parse(run.stdout));
    assert.equal(tables[0]?.method.mode, 'alternating');
    for (const { size, observedThreads, bystanderMs } of cells) {
      assert.deepEqual(observedThreads, [size]);
      assert.ok((bystanderMs?.count ?? 0) > 0);
    }
  });

  test('one that ignores SIGTERM is killed, and that is said', async () => {
    const port = await freePort();
    const run = await command(
      [
        ...['load', '--url', `http://127.0.0.1:${port}/`, '--sizes', '4', '--json', '-', '--quiet'],
        ...['--', process.execPath, fixture('servers/app.mjs'), 'ignores-sigterm'],
      ],
      { env: { PORT: String(port) } },
    );
    assert.equal(run.code, 0, run.stderr);
    const { cells } = loadSchema.parse(JSON.parse(run.stdout));
    assert.ok(cells[0]?.problems.includes('forced-stop'));
    assert.match(run.stderr, /did not end on SIGTERM and was killed/);
    await assert.rejects(fetch(`http://127.0.0.1:${port}/`));
  });

  test('answers with errors are counted, and no size is recommended by them', async () => {
    const port = await freePort();
    const run = await command(
      [
        ...[
          'load',
          '--url',
          `http://127.0.0.1:${port}/`,
          '--sizes',
          '2,4',
          '--parallel',
          '1',
          '--requests',
          '20',
        ],
        ...['--blocks', '1', '--json', '-', '--quiet'],
        ...['--', process.execPath, fixture('servers/app.mjs'), 'answers-500-half'],
      ],
      { env: { PORT: String(port) } },
    );
    const { cells, recommended } = loadSchema.parse(JSON.parse(run.stdout));
    assert.equal(cells[0]?.rounds[0]?.errors, 10);
    assert.equal(cells[0]?.rounds[0]?.firstFailure, 'HTTP 500');
    assert.equal(cells[0]?.rounds[0]?.httpMs?.count, 10);
    assert.equal(recommended[0]?.size, null);
    assert.equal(recommended[0]?.estimate, null);
    assert.match(run.stderr, /failed \(HTTP 500\)/);
  });
});

describe('--resume', linux, () => {
  test('what an interrupted measurement kept is not measured again', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'plimsoll-test-'));
    const file = join(directory, 'load.json');
    const args = [
      ...['load', '--operation', fixture('hangs-while-there-is-a-file.mjs'), '--sizes', '2,4', '--ops', '1'],
      ...['--isolated', '--blocks', '2', '--resume', '--json', file],
    ];
    const read = (): LoadResult => loadSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
    const slicesOf = ({ cells }: LoadResult) =>
      cells.flatMap(({ rounds }) => rounds).sort((a, b) => a.generation - b.generation || a.order - b.order);

    // Its second generation hangs as soon as the first one has been written.
    const killed = await command(args, {
      env: { HANG_FILE: file },
      meanwhile: (child) => void until(() => existsSync(file)).then(() => child.kill('SIGKILL')),
    });
    assert.equal(killed.code, null);
    const before = read();
    assert.equal(before.method.interrupted, true);
    const kept = slicesOf(before);
    assert.ok(kept.length >= 3 && kept.length < 6, `${kept.length}`);

    const other = await command([...args, '--sizes', '4,8']);
    assert.equal(other.code, 2, other.stderr);
    assert.match(
      other.stderr,
      /--resume: the file holds another measurement \(sizes: \[2,4\], not \[4,8\]\)/,
    );

    const continued = await command(args);
    assert.equal(continued.code, 0, continued.stderr);
    const after = read();
    assert.equal(after.method.interrupted, false);
    assert.equal(after.method.seed, before.method.seed);
    const all = slicesOf(after);
    assert.equal(all.length, 6, 'two generations of two sizes and the twin');
    assert.equal(after.tables[0]?.method.generations, 2);
    assert.deepEqual(all.slice(0, kept.length), kept, 'taken over as it was');

    writeFileSync(file, '{"schema":"something else"}');
    const foreign = await command(args);
    assert.equal(foreign.code, 2);
    assert.match(foreign.stderr, /is not a result of this version of npm run load/);
    rmSync(directory, { recursive: true });
  });
});

test('the report says what was loaded, the columns, and what is as good as the best', async () => {
  const run = await command(['load', '--iterations', '200', '--sizes', '2,4', '--time', '0.1', '--quiet']);
  assert.equal(run.code, 0, run.stderr);
  assert.match(run.stdout, /node, case 1 {2}1 × 15 requests, each 10 × pbkdf2, 200 iterations/);
  assert.match(
    run.stdout,
    /slices? of 1 × 15 requests for every size in \d+ generations? of fresh\s+servers/,
  );
  assert.match(run.stdout, /size .*avg s .*completion s .*against 4 .*bystander/);
  assert.match(run.stdout, /The smallest UV_THREADPOOL_SIZE that is as good as the best/);
  for (const line of run.stdout.split('\n')) assert.ok([...line].length <= 80, line);
});
