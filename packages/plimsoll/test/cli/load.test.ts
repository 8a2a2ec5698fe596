import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { type LoadResult, loadSchema } from '#plimsoll/results/load.js';
import { fixture, plimsoll } from '../support/cli.js';
import { freePort } from '../support/port.js';

const linux = process.platform === 'linux' ? {} : { skip: 'counts threads in /proc' };
const SMALL = ['load', '--scale', '0.002', '--json', '-', '--quiet', '--seed', '7'];

async function loaded(args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<LoadResult> {
  const run = await plimsoll([...SMALL, ...args], { env });
  assert.equal(run.code, 0, run.stderr);
  assert.deepEqual(run.left, []);
  return loadSchema.parse(JSON.parse(run.stdout));
}

describe('the sample server', linux, () => {
  for (const [mode, workers] of [
    ['node', 1],
    ['cluster', 2],
    ['pm2-fork', 1],
    ['pm2-cluster', 2],
  ] as const)
    test(`${mode}: the size reaches every worker, and every operation is measured`, async () => {
      const { cells, failures } = await loaded(['--mode', mode, '--case', '1', '--sizes', '3,6']);
      assert.deepEqual(failures, []);
      assert.deepEqual(
        cells.map(({ size }) => size),
        [3, 6],
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

  test('all three cases and several modes make a table each', async () => {
    const { cells, recommended, method } = await loaded([
      '--mode',
      'node,cluster',
      '--case',
      'all',
      '--sizes',
      '2,4',
    ]);
    assert.deepEqual(
      method.tables.map(({ mode, case: name, parallel, requests }) => [mode, name, parallel, requests]),
      ['node', 'cluster'].flatMap((mode) => [
        [mode, '1', 1, 15],
        [mode, '2', 15, 1],
        [mode, '3', 15, 5],
      ]),
    );
    assert.equal(cells.length, 12);
    assert.equal(recommended.length, 6);
    for (const cell of cells) {
      const sent = (cell.parallel ?? 0) * (cell.requests ?? 0);
      assert.equal(cell.operationMs?.count, 10 * sent);
      assert.equal(cell.httpMs?.count, sent);
      // One block: nothing is proven.
      assert.equal(cell.blocks, 1);
      assert.ok(cell.verdict === null || cell.verdict === 'unclear' || cell.size === 4);
    }
    for (const { size } of recommended) assert.equal(size, null);
  });

  test('any other closed loop', async () => {
    const args = ['--parallel', '3', '--requests', '4', '--ops', '2', '--sizes', '4'];
    const { cells } = await loaded(args);
    assert.equal(cells[0]?.httpMs?.count, 12);
    assert.equal(cells[0]?.operationMs?.count, 24);
  });

  test('an open loop sends the same requests at every size, and waits for their operations', async () => {
    const args = [
      '--rate',
      '40',
      '--duration',
      '1.5',
      '--ops',
      '2',
      '--operation',
      'sleep:10',
      '--scale',
      '1',
    ];
    const { cells } = await loaded([...args, '--sizes', '2,4']);
    const sent = cells.flatMap(({ runs }) => runs.map((run) => run.sent));
    assert.equal(new Set(sent).size, 1, `${sent}`);
    assert.ok((sent[0] as number) > 20);
    for (const { httpMs, rate, parallel } of cells) {
      assert.equal(rate, 40);
      assert.equal(parallel, null);
      assert.ok((httpMs?.min ?? 0) >= 10, 'no answer before its operations are done');
    }
  });

  test('operations that hold a thread without CPU take as long as the pool is narrow', async () => {
    // 60 operations of 20 ms: 30 rounds of 2, or 8 rounds of 8. What the machine adds is added to both.
    const args = [
      '--operation',
      'sleep:20',
      '--scale',
      '1',
      '--ops',
      '60',
      '--parallel',
      '1',
      '--requests',
      '1',
    ];
    const { cells } = await loaded([...args, '--sizes', '2,8']);
    const [two, eight] = cells.map(({ wallMs }) => wallMs) as [number, number];
    assert.ok(two >= 600, `${two}`);
    assert.ok(eight >= 160 && eight < two * 0.75, `${eight} of ${two}`);
  });

  for (const operation of ['scrypt', 'gzip', 'randomBytes', 'readFile', 'stat', 'lookup'])
    test(`operation ${operation}`, async () => {
      const { cells } = await loaded(['--operation', operation, '--sizes', '4', '--case', '2', '--ops', '3']);
      assert.equal(cells[0]?.operationMs?.count, 45);
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
    ]);
    assert.equal(cells[0]?.operationMs?.count, 15);
  });

  test('a worker that dies under the load is counted, and its cell is marked', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'plimsoll-test-'));
    const args = [
      '--mode',
      'cluster',
      '--operation',
      fixture('dies-in-one-worker.mjs'),
      '--ops',
      '2',
      '--sizes',
      '4',
    ];
    const run = await plimsoll([...SMALL, ...args, '--case', '3'], {
      env: { DIED_FILE: join(directory, 'died') },
    });
    const { cells } = loadSchema.parse(JSON.parse(run.stdout));
    const [first] = (cells[0]?.runs ?? []).toSorted((a, b) => a.sequence - b.sequence);
    assert.ok(first?.problems.includes('worker-died'), run.stderr);
    assert.ok(first !== undefined && first.errors > 0);
    assert.ok((first.operationMs?.count ?? 150) < 150);
    assert.equal(run.code, 4);
    rmSync(directory, { recursive: true });
  });
});

describe("a user's command", linux, () => {
  test('is started once for every run with the size, loaded, and gone afterwards', async () => {
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const run = await plimsoll(
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
        ...['--requests', '20', '--json', '-', '--quiet', '--', process.execPath, fixture('servers/app.mjs')],
      ],
      { env: { PORT: String(port) } },
    );
    assert.equal(run.code, 0, run.stderr);
    const { cells, method, environment } = loadSchema.parse(JSON.parse(run.stdout));
    assert.equal(method.target, 'command');
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

  test('one that ignores SIGTERM is killed, and that is said', async () => {
    const port = await freePort();
    const run = await plimsoll(
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
    const run = await plimsoll(
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
        ...['--json', '-', '--quiet', '--', process.execPath, fixture('servers/app.mjs'), 'answers-500-half'],
      ],
      { env: { PORT: String(port) } },
    );
    const { cells, recommended } = loadSchema.parse(JSON.parse(run.stdout));
    assert.equal(cells[0]?.runs[0]?.errors, 10);
    assert.equal(cells[0]?.runs[0]?.firstFailure, 'HTTP 500');
    assert.equal(cells[0]?.runs[0]?.httpMs?.count, 10);
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
      'load',
      '--scale',
      '0.002',
      '--sizes',
      '2,4,8',
      '--blocks',
      '3',
      '--resume',
      '--json',
      file,
    ];
    const read = (): LoadResult => loadSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
    const runsOf = ({ cells }: LoadResult) =>
      cells.flatMap(({ runs }) => runs).sort((a, b) => a.sequence - b.sequence);

    const killed = await plimsoll(args, {
      meanwhile: (child) => {
        const timer = setInterval(() => {
          if (!existsSync(file) || runsOf(read()).length < 3) return;
          clearInterval(timer);
          child.kill('SIGKILL');
        }, 20);
      },
    });
    assert.equal(killed.code, null);
    const before = read();
    assert.equal(before.method.interrupted, true);
    const kept = runsOf(before);
    assert.ok(kept.length >= 3 && kept.length < 12, `${kept.length}`);

    const other = await plimsoll([...args, '--sizes', '2,4']);
    assert.equal(other.code, 2, other.stderr);
    assert.match(
      other.stderr,
      /--resume: the file holds another measurement \(sizes: \[2,4,8\], not \[2,4\]\)/,
    );

    const continued = await plimsoll(args);
    assert.equal(continued.code, 0, continued.stderr);
    const after = read();
    assert.equal(after.method.interrupted, false);
    assert.equal(after.method.seed, before.method.seed);
    const all = runsOf(after).filter(({ superseded }) => !superseded);
    assert.equal(all.length, 12, 'three blocks of three sizes and the twin');
    for (const run of kept) {
      const same = runsOf(after).find(({ sequence }) => sequence === run.sequence);
      assert.deepEqual(same?.operationMs, run.operationMs, 'taken over as it was');
    }

    writeFileSync(file, '{"schema":"something else"}');
    const foreign = await plimsoll(args);
    assert.equal(foreign.code, 2);
    assert.match(foreign.stderr, /is not a result of this version of plimsoll load/);
    rmSync(directory, { recursive: true });
  });
});

test('the report says what was loaded, the columns, and what is as good as the best', async () => {
  const run = await plimsoll(['load', '--scale', '0.002', '--sizes', '2,4', '--quiet']);
  assert.equal(run.code, 0, run.stderr);
  assert.match(run.stdout, /node, case 1 {2}1 × 15 requests, each 10 × pbkdf2, 200 iterations/);
  assert.match(run.stdout, /size .*min s .*max s .*avg s .*completion s .*against 4 .*bystander/);
  assert.match(run.stdout, /The smallest UV_THREADPOOL_SIZE that is as good as the best/);
  for (const line of run.stdout.split('\n')) assert.ok([...line].length <= 80, line);
});
