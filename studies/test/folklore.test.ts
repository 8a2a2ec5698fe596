import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { isAll, nodesWith } from '#studies/folklore/claim.js';
import { CLAIMS } from '#studies/folklore/claims.js';
import { folklorePage, judgementOf } from '#studies/folklore/page.js';
import type { Counted, FolkloreResult } from '#studies/folklore/result.js';
import { published, ROOT, study } from './support.js';

const read = (): FolkloreResult => JSON.parse(published('folklore.json')) as FolkloreResult;
const claim = (id: string) => CLAIMS.find((one) => one.id === id) as (typeof CLAIMS)[number];

/** The same result with other cells of one claim. */
const changed = (result: FolkloreResult, id: string, change: (cell: unknown) => string | number) => ({
  ...result,
  claims: result.claims.map((one) =>
    one.id === id && one.counted !== null
      ? {
          ...one,
          counted: {
            ...one.counted,
            rows: one.counted.rows.map((row) => ({ ...row, cells: row.cells.map(change) })),
          },
        }
      : one,
  ),
});

const skip = process.platform === 'linux' ? false : 'threads are counted in /proc';

describe('npm run study:folklore', { skip }, () => {
  let result: FolkloreResult;
  const countedOf = (id: string): Counted => {
    const counted = result.claims.find((one) => one.id === id)?.counted;
    assert.ok(counted, id);
    return counted;
  };

  before(async () => {
    const { code, stderr } = await study('folklore', '--quick');
    assert.equal(code, 0, stderr);
    const file = join(ROOT, '.cache/study-folklore/folklore.json');
    result = JSON.parse(readFileSync(file, 'utf8')) as FolkloreResult;
  });

  test('a quick run observes every claim, but those that this machine does not let it', () => {
    assert.deepEqual(
      result.claims.map(({ id }) => id),
      CLAIMS.map(({ id }) => id),
    );
    for (const { id, counted, skipped } of result.claims) {
      if (skipped === null && claim(id).observe !== undefined) assert.ok(counted?.rows.length, id);
      assert.ok(skipped === null || ['bcrypt', 'available-parallelism'].includes(id), `${id}: ${skipped}`);
    }
    assert.doesNotMatch(folklorePage(result), /undefined|NaN|\[object/);
  });

  test('pool threads are counted, not believed', () => {
    assert.ok(isAll(countedOf('default'), 'nothing set', 4));
    assert.ok(isAll(countedOf('in-code'), 'CommonJS', 9));
    assert.ok(isAll(countedOf('in-code'), 'ES module, an import reads a file', 4));
    assert.ok(isAll(countedOf('later'), 'set after the first use', 4));
    assert.ok(isAll(countedOf('maximum'), 'UV_THREADPOOL_SIZE=200', 200));
    assert.ok(isAll(countedOf('maximum'), 'UV_THREADPOOL_SIZE=5000', 1024));
    assert.ok(isAll(countedOf('invalid'), 'UV_THREADPOOL_SIZE=', 1));
    assert.ok(isAll(countedOf('env-file'), 'node --env-file', 9));
    assert.ok(isAll(countedOf('workers'), 'three worker threads', 4));
    assert.ok(isAll(countedOf('cluster'), 'primary and two workers', '4 + 4 + 4'));
  });

  test('four calls that hang stop what needs the pool, and nothing else', () => {
    const counted = countedOf('slow-disk');
    for (const name of ['fs.stat of a good disk', 'crypto.pbkdf2', 'zlib.gzip', 'dns.lookup']) {
      assert.ok(isAll(counted, name, 'waits'), name);
      assert.ok(isAll(counted, `${name}, 5 threads`, 'completes'), `${name}, 5 threads`);
    }
    for (const name of ['a timer', 'a socket', 'an HTTP request'])
      assert.ok(isAll(counted, name, 'completes'), name);
  });

  test('both ways to read a file take the same number of pool jobs', () => {
    const [callback, promises] = countedOf('fs-promises').rows;
    assert.ok(Number(callback?.cells[0]) >= 1);
    assert.deepEqual(promises?.cells, callback?.cells);
  });

  test('one claim by its name, and names that are none', async () => {
    const { code, stdout } = await study('folklore', 'later', '--quick');
    assert.equal(code, 0);
    assert.match(stdout, /^## A running program can set the variable anew, and its pool follows$/m);
    assert.doesNotMatch(stdout, /## By default/);
    const unknown = await study('folklore', 'nonsense');
    assert.equal(unknown.code, 2);
    assert.match(unknown.stderr, /there are .*io-uring/);
  });
});

describe('the published folklore', () => {
  test('its page is what its result says', () => {
    assert.equal(folklorePage(read()), published('folklore.md'));
  });

  test('every claim was decided, and every supported line of Node was asked', () => {
    const result = read();
    for (const one of CLAIMS) {
      const { verdict, because } = judgementOf(one, result);
      assert.notEqual(verdict, 'undecided', `${one.id}: ${because}`);
    }
    for (const { id, counted } of result.claims)
      if (counted !== null)
        for (const line of ['20.', '22.', '24.', '26.'])
          assert.ok(
            counted.nodes.some((node) => node.startsWith(line)),
            `${id}: Node ${line}`,
          );
  });

  test('the guide gives the verdicts of the result', () => {
    const guide = readFileSync(join(ROOT, 'docs/guide/folklore.md'), 'utf8');
    const rows = new Map(
      [...guide.matchAll(/^\| \[([^\]]+)\]\(\.\.\/results\/folklore\.md#[^)]+\) \| (\w[\w ]*?) \|/gm)].map(
        ([, says = '', verdict = '']) => [says, verdict],
      ),
    );

    for (const one of CLAIMS) assert.equal(rows.get(one.says), judgementOf(one, read()).verdict, one.id);
    assert.equal(rows.size, CLAIMS.length);
  });

  test('the figures of the guide are those of the result', () => {
    const guide = readFileSync(join(ROOT, 'docs/guide/folklore.md'), 'utf8');
    const sizes = (name: string, size: number) => {
      const workload = read().bench?.workloads.find((one) => one.name === name);
      const found = workload?.sizes.find((one) => one.size === size);
      assert.ok(found, `${name} with ${size} threads`);
      return found;
    };
    const late = (size: number): number => sizes('crypto', size).eventLoopDelayMs.p99;
    const percent = (ratio: number): string => `${Math.round(Math.abs(ratio - 1) * 100)} %`;
    for (const figure of [
      `lookups took ${percent(sizes('dns', 128).ratio)} less time with 128 threads`,
      `timers were ${late(128).toFixed(0)} ms late, with 2 threads ${late(2).toFixed(1)} ms`,
      `gzip was ${percent(sizes('zlib', 32).ratio)} slower with 32 threads`,
    ])
      assert.ok(guide.includes(figure), figure);
  });

  test('other counts lead to other verdicts', () => {
    const result = read();
    const verdict = (id: string, change: (cell: unknown) => string | number): string =>
      judgementOf(claim(id), changed(result, id, change)).verdict;
    assert.equal(
      verdict('later', () => 9),
      'true',
    );
    assert.equal(
      verdict('maximum', () => 128),
      'true',
    );
    assert.equal(
      verdict('invalid', () => 4),
      'true',
    );
    assert.equal(
      verdict('workers', () => 48),
      'true',
    );
    assert.equal(
      verdict('workers', () => 5),
      'undecided',
    );
    assert.equal(
      verdict('network', () => 'pool'),
      'true',
    );
    assert.equal(
      verdict('dns-resolve', () => 'pool'),
      'true',
    );
    assert.equal(
      verdict('lookup-blocks', () => 'main thread'),
      'true',
    );
    assert.equal(
      verdict('slow-disk', () => 'completes'),
      'false',
    );
    assert.equal(
      verdict('zlib-stream', () => 'waits'),
      'true',
    );
    assert.equal(
      verdict('io-uring', () => 0),
      'true',
    );
  });

  test('what was not measured, or not observed, is not decided', () => {
    const result = { ...read(), bench: null, reads: null };
    for (const id of ['cores', 'free-threads', 'more-is-faster', 'fs-promises'])
      assert.equal(judgementOf(claim(id), result).verdict, 'undecided');
    const skipped = result.claims.map((one) => ({ ...one, counted: null, skipped: 'there is no /proc' }));
    for (const one of CLAIMS)
      assert.match(judgementOf(one, { ...result, claims: skipped }).because, /there is no \/proc/);
  });

  test('helpers: a cell that was not observed decides nothing', () => {
    const counted: Counted = {
      what: 'pool threads',
      nodes: ['20.0.0', '22.0.0'],
      rows: [
        { case: 'one', cells: [null, 4] },
        { case: 'none', cells: [null, null] },
      ],
    };
    assert.ok(isAll(counted, 'one', 4));
    assert.ok(!isAll(counted, 'none', 4));
    assert.ok(!isAll(counted, 'missing', 4));
    assert.deepEqual(nodesWith(counted, 'one', 4), ['22.0.0']);
  });
});
