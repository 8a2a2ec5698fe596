import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { inspect, promisify } from 'node:util';
import { runInNewContext } from 'node:vm';
import { Pool, PoolError, type UncloneableError } from '@plimsoll/pool';
import { caught, fixture, poolFor } from './support.js';

const filename = fixture('realm-tasks.cjs');

/** Without stacks, which say where a value was made. */
const shown = (value: unknown): string =>
  inspect(value, { depth: 10 }).replace(
    /(\n\s+at .*|\n\s+\.\.\. \d+ lines matching cause stack trace \.\.\.)+/g,
    '',
  );

const CODES = [
  '({ a: 1, b: { c: [1, { d: "x" }] } })',
  '[1, [2, , 3]]',
  'new Map([[{ a: 1 }, new Map([[[], new Set([1])]])]])',
  'new Date(5)',
  'Object.assign(/a/giu, { lastIndex: 3 })',
  'new TypeError("t", { cause: new Error("c") })',
  'new AggregateError([new RangeError("r")], "m")',
  'new (class extends SyntaxError { code = "E" })("own")',
  'new Uint8Array([1, 2])',
  'new BigInt64Array([1n])',
  'new DataView(new ArrayBuffer(8), 2, 4)',
  'new ArrayBuffer(5)',
  'new Float64Array(new SharedArrayBuffer(16))',
  '({ large: new Uint8Array(300_000).fill(7) })',
  'Object("boxed")',
  'new (class { x = 1 })()',
  'new (class extends Map { x = 1 })([[1, 2]])',
  'Object.assign(Object.create(null), { x: 1 })',
];

test('values of another realm are cloned as by structuredClone, into the realm of whoever gets them', async (t) => {
  const pool = poolFor(t, { filename });
  for (const code of CODES) {
    const value = runInNewContext(code) as object;
    const expected = structuredClone(value);
    for (const [way, got] of [
      ['an argument', await pool.run(value, { name: 'echo' })],
      ['inside an argument', ((await pool.run([[value]], { name: 'echo' })) as unknown[][])[0]?.[0]],
      ['a result', await pool.run(code, { name: 'make' })],
    ] as const) {
      assert.equal(shown(got), shown(expected), `${way}: ${code}`);
      assert.equal(Object.getPrototypeOf(got), Object.getPrototypeOf(expected), `${way}: ${code}`);
    }
    assert.equal(await pool.run(value, { name: 'isOwn' }), true, code);
  }
});

test('errors of another realm arrive as errors of this one', async (t) => {
  const pool = poolFor(t, { filename });
  const fail = (code: string): Promise<Error & Record<string, unknown>> =>
    caught(pool.run(code, { name: 'fail' }));
  const error = await fail('new TypeError("t", { cause: new RangeError("c") })');
  assert.ok(error instanceof TypeError);
  assert.ok(error.cause instanceof RangeError);
  const own = await fail(
    'new (class Own extends SyntaxError { code = "E_OWN"; map = new Map([[1, [2]]]) })("own")',
  );
  assert.ok(own instanceof SyntaxError);
  assert.equal(own.constructor.name, 'Own');
  assert.equal(own.code, 'E_OWN');
  assert.deepEqual(own.map, new Map([[1, [2]]]));
  const many = await fail('new AggregateError([new TypeError("one")], "many")');
  assert.ok(many instanceof AggregateError);
  assert.ok(many.errors[0] instanceof TypeError);
  const list = (await fail('[new TypeError("one"), 1]')) as unknown as unknown[];
  assert.ok(list[0] instanceof TypeError);
});

test('what cannot be cloned is found inside collections of another realm', async (t) => {
  const pool = poolFor(t, { filename });
  const pathIn = async (code: string): Promise<string> => {
    const error = await caught<UncloneableError>(pool.run(runInNewContext(code), { name: 'echo' }));
    return error.path;
  };
  assert.equal(await pathIn('new Map([["key", { fn() {} }]])'), 'task.get(key).fn');
  assert.equal(await pathIn('new Set([[() => {}]])'), 'task.values()[0][0]');
});

/** What a program makes of a pool that was loaded into a realm whose timers are fakes and whose globals are few. */
async function inRealm(program: string): Promise<unknown> {
  const argv = [fileURLToPath(fixture('realm.mjs')), program];
  const { stdout } = await promisify(execFile)(process.execPath, argv, { timeout: 60_000 });
  return JSON.parse(stdout);
}

test('a pool in a realm with fake timers and few globals works, and measures real time', async () => {
  const seen = (await inRealm(`async ({ Pool }, filename) => {
    const pool = new Pool({ filename, maxThreads: 2, workerData: { of: new Map([[1, 'this realm']]) } });
    const runs = await Promise.all(Array.from({ length: 3000 }, (_, number) => pool.run(number, { name: 'echo' })));
    await pool.run(30, { name: 'late' });
    const { duration, histogram } = pool;
    await pool.close();
    return { last: runs[2999], duration, longest: histogram.runTime.max, wait: histogram.waitTime.max };
  }`)) as { last: number; duration: number; longest: number; wait: number };
  assert.equal(seen.last, 2999);
  assert.ok(seen.longest >= 29 && seen.longest < seen.duration, inspect(seen));
  assert.ok(seen.wait > 0 && seen.wait < seen.duration, inspect(seen));
});

test('values and errors are of the realm that the pool was loaded into', async () => {
  const seen = await inRealm(`async ({ Pool, PoolError, UncloneableError }, filename) => {
    const pool = new Pool({ filename, maxThreads: 1 });
    const run = (value, name) => pool.run(value, { name });
    const failure = (promise) => promise.then(() => null, (error) => error);
    const error = await failure(run('new TypeError("t", { cause: new RangeError("c") })', 'fail'));
    const uncloneable = await failure(run(new Map([['key', { fn() {} }]]), 'echo'));
    const aborted = await failure(run(null, 'abort'));
    const copies = await Promise.all([{}, [], new Map(), new Set(), new Date(), /x/].map((value) => run(value, 'echo')));
    let refused;
    try { new Pool({ workerData: { fn() {} } }); } catch (error) { refused = error; }
    await pool.destroy();
    const closed = await failure(run(1, 'echo'));
    return {
      error: error instanceof TypeError && error.cause instanceof RangeError,
      uncloneable: uncloneable instanceof UncloneableError && uncloneable.path,
      aborted: aborted.name,
      copies: copies.every((copy, place) => copy instanceof [Object, Array, Map, Set, Date, RegExp][place]),
      refused: refused instanceof UncloneableError && refused.path,
      closed: closed instanceof PoolError && closed.code,
    };
  }`);
  assert.deepEqual(seen, {
    error: true,
    uncloneable: 'task.get(key).fn',
    aborted: 'AbortError',
    copies: true,
    refused: 'options.workerData.fn',
    closed: 'PLIMSOLL_POOL_CLOSED',
  });
});

test('two copies of the package in one process work side by side', async (t) => {
  const copy = mkdtempSync(join(tmpdir(), 'plimsoll-copy-'));
  t.after(() => rmSync(copy, { recursive: true }));
  cpSync(new URL('.', import.meta.resolve('@plimsoll/pool')), copy, { recursive: true });
  writeFileSync(join(copy, 'package.json'), '{ "type": "module" }');
  const url = pathToFileURL(join(copy, 'index.js')).href;
  const other = (await import(url)) as typeof import('@plimsoll/pool');
  assert.notEqual(other.Pool, Pool);
  const here = poolFor(t, { filename });
  const there = new other.Pool({ filename });
  t.after(() => there.destroy());
  assert.deepEqual(
    await Promise.all([here.run(1, { name: 'echo' }), there.run(2, { name: 'echo' })]),
    [1, 2],
  );
  await there.close();
  assert.ok((await caught(there.run(1))) instanceof PoolError);
});
