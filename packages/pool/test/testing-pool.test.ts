import assert from 'node:assert/strict';
import { AsyncLocalStorage } from 'node:async_hooks';
import { EventEmitterAsyncResource } from 'node:events';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { threadId } from 'node:worker_threads';
import { AbortError, Pool, PoolError, TimeoutError, UncloneableError } from '@plimsoll/pool';
import * as testing from '@plimsoll/pool/testing';
import { TestPool } from '@plimsoll/pool/testing';
import { caught, fixture } from './support.js';
import { MINUTE, poolFor } from './testing-support.js';

test('it is a Pool, has all that the package has, and runs functions on this thread', async (t) => {
  const pool = poolFor(t);
  assert.ok(pool instanceof Pool);
  assert.ok(pool instanceof TestPool);
  assert.equal(testing.Pool, TestPool);
  for (const [name, value] of Object.entries(await import('@plimsoll/pool')))
    if (name !== 'Pool') assert.equal((testing as Record<string, unknown>)[name], value, name);
  assert.deepEqual(await pool.run({ a: [1n] }), { a: [1n] });
  assert.equal(await pool.run(0, { name: 'thread' }), threadId);
  assert.equal(await pool.proxy<{ add(one: number, other: number): number }>().add(4, 6), 10);
  const mapped = [];
  for await (const value of pool.map([1, 2, 3], { name: 'later' })) mapped.push(value);
  assert.deepEqual(mapped, [1, 2, 3]);
  assert.equal(pool.completed, 6);
});

test('every member of a Pool is there, and is that of the simulated one', (t) => {
  const pool = poolFor(t, { manual: true });
  const ownerOf = (name: string | symbol): object => {
    let owner: object = TestPool.prototype;
    while (!Object.hasOwn(owner, name)) owner = Object.getPrototypeOf(owner) as object;
    return owner;
  };
  for (let level: object = Pool.prototype; level !== EventEmitterAsyncResource.prototype; ) {
    for (const name of Reflect.ownKeys(level))
      if (name !== 'constructor') assert.ok(ownerOf(name) instanceof Pool, String(name));
    level = Object.getPrototypeOf(level) as object;
  }
  assert.equal(pool.options.maxThreads, 1);
  assert.equal(pool.duration, 0);
  assert.equal(pool.threads.length, 1);
  assert.equal(pool.stats.pressure, Number.NaN);
  assert.ok(!('seed' in pool.options || 'manual' in pool.options));
});

test('functions are asked to end, each by its own signal', async (t) => {
  const pool = poolFor(t, { minThreads: 2, maxThreads: 2 });
  const controllers = [new AbortController(), new AbortController()];
  const runs = controllers.map(({ signal }, index) =>
    caught(pool.run(index, { name: 'noted', signal, grace: MINUTE })),
  );
  await pool.advance(0);
  controllers[1]?.abort('second');
  assert.ok((await (runs[1] as Promise<unknown>)) instanceof AbortError);
  assert.deepEqual(await pool.run(0, { name: 'told' }), [{ label: 1, aborted: true, reason: 'second' }]);
  controllers[0]?.abort('first');
  await runs[0];
  assert.deepEqual(await pool.run(0, { name: 'told' }), [{ label: 0, aborted: true, reason: 'first' }]);
  assert.deepEqual(
    pool.threads.map((thread) => thread.threadId),
    [1, 2],
  );
  const late = caught(pool.run('late', { name: 'noted', timeout: 100, grace: MINUTE }));
  await pool.advance(100);
  assert.ok((await late) instanceof TimeoutError);
  assert.equal(((await pool.run(0, { name: 'told' })) as unknown[]).length, 1);
});

test('values are copied, moved and refused as by threads', async (t) => {
  const pool = poolFor(t);
  const shared = { at: new Date(0), map: new Map([[1, { deep: true }]]) };
  const copy = (await pool.run(shared)) as typeof shared;
  assert.deepEqual(copy, shared);
  assert.notEqual(copy.map.get(1), shared.map.get(1));
  const buffer = new ArrayBuffer(1 << 20);
  assert.equal(await pool.run(buffer, { name: 'sizeOf', transferList: [buffer] }), 1 << 20);
  assert.equal(buffer.byteLength, 0);
  const refused = await caught<UncloneableError>(pool.run({ user: { socket: () => 1 } }));
  assert.ok(refused instanceof UncloneableError);
  assert.equal(refused.path, 'task.user.socket');
  const result = await caught<UncloneableError>(pool.run(0, { name: 'uncloneable' }));
  assert.equal(result.path, 'result.inner');
  const thrown = await caught(pool.run('why', { name: 'fail' }));
  assert.ok(thrown instanceof RangeError && !(thrown instanceof PoolError));
  assert.deepEqual([thrown.message, thrown.code], ['why', 'OWN']);
});

test('the test loads worker files itself when it wants to', async (t) => {
  const files: string[] = [];
  const load = (filename: string): unknown => {
    files.push(filename);
    if (filename.endsWith('/mocked.js')) return { default: (value: number) => value * 2 };
    if (filename.endsWith('/broken.js')) throw new SyntaxError('broken here');
    return undefined;
  };
  const pool = poolFor(t, { load });
  assert.equal(await pool.run(1), 1);
  assert.equal(await pool.run(4, { filename: '/of/nobody/mocked.js' }), 8);
  const error = await caught<PoolError>(pool.run(4, { filename: '/of/nobody/broken.js' }));
  assert.equal(error.code, 'PLIMSOLL_POOL_LOAD_FAILED');
  assert.match(error.message, /^Cannot load \/of\/nobody\/broken\.js: broken here/);
  assert.ok(error.cause instanceof SyntaxError);
  assert.match(files[0] as string, /\/in-process\.mjs$/);
});

test('tasks do not see what the test holds in an AsyncLocalStorage', async (t) => {
  const storage = new AsyncLocalStorage();
  await storage.run('of the test', async () => {
    const load = () => ({
      default: () => storage.getStore() ?? 'nothing',
      later: async () => storage.getStore(),
    });
    const pool = poolFor(t, { load, manual: true });
    const runs = [pool.run(0), pool.run(0, { name: 'later' })];
    await pool.runAll();
    assert.deepEqual(await Promise.all(runs), ['nothing', undefined]);
    assert.equal(storage.getStore(), 'of the test');
  });
});

test('in a worker of a Pool, each task knows the host of its pool', async (t) => {
  const host = { back: (value: unknown) => value };
  const pool = new Pool({ filename: fixture('host-calls.mjs'), host, minThreads: 1, maxThreads: 1 });
  t.after(() => pool.destroy());
  assert.deepEqual(await pool.run(0, { name: 'besideTestPool' }), [1, 'test 2', 3, 4]);
});

test('a worker is started for what a stream waits for', async (t) => {
  const nest = (): Promise<unknown> => pool.run(0, { name: 'answer' });
  const options = { filename: fixture('stalls.mjs'), maxThreads: 2, host: { nest } };
  const pool: TestPool = poolFor(t, options);
  const items: unknown[] = [];
  for await (const item of pool.stream(3, { name: 'stepsThatCall' })) items.push(item);
  assert.deepEqual(items, ['inner', 'inner', 'inner']);
});

test('streams out of a worker and into one, with break and a death in the middle', async (t) => {
  const pool = poolFor(t, { filename: fixture('streams.mjs'), minThreads: 2, maxThreads: 2 });
  const items: unknown[] = [];
  for await (const item of pool.stream(5, { name: 'count' })) items.push(item);
  assert.deepEqual(items, [0, 1, 2, 3, 4]);
  for await (const item of pool.stream(500, { name: 'count' })) if (item === 3) break;
  const { seen } = (await pool.run(0, { name: 'told' })) as { seen: unknown[] };
  assert.deepEqual(seen, ['end', 'finally', 'finally']);
  const counter = new Int32Array(new SharedArrayBuffer(4));
  const slow = pool.stream(counter, { name: 'made', highWaterMark: 3 });
  assert.equal((await slow.next()).value, 0);
  await pool.advance(0);
  assert.ok((counter[0] as number) <= 4, `${counter[0]} items were made`);
  pool.inject({ kind: 'exit', name: 'made', exitCode: 4 });
  const error = await caught(
    (async () => {
      for await (const _item of slow);
    })(),
  );
  assert.deepEqual([error.code, error.exitCode], ['PLIMSOLL_POOL_WORKER_EXITED', 4]);
  const numbers = (async function* () {
    for (let number = 0; number < 40; number++) yield number;
  })();
  const load = () => ({
    default: async (given: AsyncIterable<number>) => {
      let sum = 0;
      for await (const number of given) sum += number;
      return sum;
    },
  });
  assert.equal(await poolFor(t, { load }).run(numbers), 780);
});

test('maxQueue, priorities, events and subclasses are those of a pool', async (t) => {
  class Own extends TestPool {
    override run(...given: unknown[]): Promise<never> {
      return super.run(...(given as [never])) as Promise<never>;
    }
    get waiting(): number {
      return this.queueSize;
    }
  }
  const pool = new Own({ filename: fixture('in-process.mjs'), minThreads: 1, maxThreads: 1, maxQueue: 2 });
  t.after(() => pool.destroy());
  const heard: string[] = [];
  for (const event of ['workerCreate', 'workerDestroy', 'needsDrain', 'drain', 'close'])
    pool.on(event, () => heard.push(event));
  const ended: number[] = [];
  const runs = [1, 2, 3].map((priority) =>
    pool.run(priority, { priority }).then((value) => ended.push(value)),
  );
  assert.equal(pool.waiting, 2);
  assert.equal((await caught(pool.run(4))).code, 'PLIMSOLL_POOL_QUEUE_FULL');
  await Promise.all(runs);
  await pool.close();
  assert.deepEqual(ended, [3, 2, 1]);
  assert.deepEqual(heard, ['needsDrain', 'workerCreate', 'drain', 'workerDestroy', 'close']);
  assert.equal((await caught(pool.run(4))).code, 'PLIMSOLL_POOL_CLOSED');
});

test('idle workers are retired when time passes', async (t) => {
  const pool = poolFor(t, { minThreads: 1, maxThreads: 3, idleTimeout: 1000 });
  await Promise.all([1, 2, 3].map((value) => pool.run(value)));
  assert.equal(pool.threads.length, 3);
  await pool.advance(900);
  assert.equal(pool.threads.length, 3);
  await pool.advance(1000);
  assert.equal(pool.threads.length, 1);
});

test('the look at idle workers, again and again, is nothing that a task waits for', async (t) => {
  const pool = poolFor(t, { minThreads: 0, maxThreads: 2, idleTimeout: 1000 });
  pool.inject({ kind: 'hang' });
  const hung = caught(pool.run(1));
  assert.equal(await pool.run(2), 2);
  await pool.runAll();
  assert.ok(pool.duration <= 1000, `${pool.duration} ms have passed`);
  await pool.destroy();
  assert.equal((await hung).code, 'PLIMSOLL_POOL_CLOSED');
});

test('close() waits for what is stepped through, and gives up after its timeout; so does nobody who disposes', async (t) => {
  const pool = poolFor(t, { manual: true, closeTimeout: 2000 });
  const run = pool.run(1);
  const closed = pool.close();
  assert.equal((await caught(pool.run(2))).code, 'PLIMSOLL_POOL_CLOSED');
  await pool.runAll();
  await closed;
  assert.equal(await run, 1);
  const stuck = poolFor(t, { closeTimeout: 2000 });
  stuck.inject({ kind: 'hang' });
  const hung = caught(stuck.run(1));
  assert.equal((await caught(stuck.close())).code, 'PLIMSOLL_POOL_CLOSE_TIMEOUT');
  assert.equal(stuck.duration, 2000);
  assert.equal((await hung).code, 'PLIMSOLL_POOL_CLOSED');
  let left: Promise<unknown> | undefined;
  {
    await using disposed = new TestPool({ filename: fixture('in-process.mjs'), manual: true });
    left = disposed.run(3);
  }
  assert.equal(await left, 3);
});

test('what is stopped does nothing more', async (t) => {
  const pool = poolFor(t, { manual: true, minThreads: 2, maxThreads: 2 });
  const calls = new Int32Array(new SharedArrayBuffer(4));
  const runs = [1, 2, 3].map(() => caught(pool.run(calls, { name: 'count' })));
  for (let step = 0; step < 3; step++) await pool.step();
  assert.equal(calls[0], 1);
  await pool.destroy();
  for (const error of await Promise.all(runs)) assert.equal(error.code, 'PLIMSOLL_POOL_CLOSED');
  assert.equal(await pool.step(), undefined);
  assert.deepEqual(await pool.runAll(), []);
  assert.equal(calls[0], 1);
  assert.equal(pool.threads.length, 0);
});

test('a worker that somebody ends is replaced', async (t) => {
  const pool = poolFor(t, { manual: true });
  const [lost, other] = [caught(pool.run(1)), pool.run(2)];
  await pool.step();
  await pool.step();
  assert.equal(await pool.threads[0]?.terminate(), 1);
  await pool.runAll();
  assert.equal((await lost).code, 'PLIMSOLL_POOL_WORKER_EXITED');
  assert.equal(await other, 2);
});

test('bad options of the test are refused like those of a pool', async (t) => {
  const bad = [{ seed: 0.5 }, { seed: '1' }, { manual: 1 }, { load: {} }, { maxThreads: 0 }, null, 3];
  for (const options of bad) {
    assert.throws(() => new TestPool(options as never), { code: 'PLIMSOLL_POOL_BAD_OPTION' });
  }
  const pool = poolFor(t);
  for (const milliseconds of [-1, Number.NaN, Number.POSITIVE_INFINITY, '1', undefined])
    await assert.rejects(pool.advance(milliseconds as never), { code: 'PLIMSOLL_POOL_BAD_OPTION' });
  const error = await caught(pool.run(0, { timeout: -1 }));
  assert.equal(error.code, 'PLIMSOLL_POOL_BAD_OPTION');
});

test('docs/reference/pool-testing.md has every option, fault and member', () => {
  const read = (path: string): string => readFileSync(new URL(path, import.meta.url), 'utf8');
  const docs = read('../../../docs/reference/pool-testing.md');
  const fields = (file: string, name: string): string[] => {
    const source = read(`../src/testing/${file}.ts`);
    const start = source.indexOf(`interface ${name} `);
    return [...source.slice(start, source.indexOf('\n}', start)).matchAll(/^ {2}readonly (\w+)/gm)].map(
      ([, field]) => field as string,
    );
  };
  const options = [...fields('test-options', 'TestPoolOptions'), ...fields('faults', 'Fault')];
  assert.equal(options.length, 10);
  for (const option of options) assert.ok(docs.includes(`\n| \`${option}\` |`), option);
  for (const kind of ['crash', 'exit', 'oom', 'hang', 'load', 'start'])
    assert.ok(docs.includes(`\n| \`'${kind}'\` |`), kind);
  for (const member of Reflect.ownKeys(TestPool.prototype))
    if (typeof member === 'string' && member !== 'constructor')
      assert.ok(docs.includes(`\n| \`${member}(`), member);
});
