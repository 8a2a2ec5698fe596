import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import {
  caught,
  folderFor,
  LONGER,
  linesOf,
  needsRedis,
  pairFor,
  startRedis,
  until,
  within,
  wordFor,
} from './support.js';

const redis = await startRedis();

/** A source that tells how many items were taken from it, and whether it was closed. */
function counting<Item>(items: readonly Item[]): {
  items: AsyncGenerator<Item>;
  taken(): number;
  isClosed(): boolean;
} {
  let taken = 0;
  let isClosed = false;
  async function* generate(): AsyncGenerator<Item> {
    try {
      for (const item of items) {
        taken++;
        yield item;
      }
    } finally {
      isClosed = true;
    }
  }
  return { items: generate(), taken: () => taken, isClosed: () => isClosed };
}

const range = (count: number): number[] => Array.from({ length: count }, (_, index) => index);
const all = async <Value>(results: AsyncIterable<Value>): Promise<Value[]> => {
  const values: Value[] = [];
  for await (const value of results) values.push(value);
  return values;
};

test('results come in the order of the items', needsRedis, async (t) => {
  const { fleet } = await pairFor(t, redis.url, { worker: { threads: 2 } });
  const items = range(12).map((value) => ({ value, ms: value % 3 === 0 ? 60 : 0 }));
  assert.deepEqual(await all(fleet.map(items, { name: 'later' })), range(12));
  assert.deepEqual(await all(fleet.map(counting(range(5)).items)), [0, 2, 4, 6, 8]);
  assert.deepEqual(await all(fleet.map([])), []);
});

test('without an order each result comes as soon as it is there', needsRedis, async (t) => {
  const { fleet } = await pairFor(t, redis.url, { worker: { threads: 2 } });
  const { when, give } = wordFor(t);
  const items = [{ value: 'slow', when }, ...range(5).map((value) => ({ value, ms: 0 }))];
  const results: unknown[] = [];
  for await (const value of fleet.map(items, { name: 'later', ordered: false }))
    if (results.push(value) === 5) give();
  assert.equal(results.at(-1), 'slow');
  assert.equal(results.length, 6);
});

test('no more items are taken than concurrency allows', needsRedis, async (t) => {
  const { fleet } = await pairFor(t, redis.url);
  const source = counting(range(30));
  let got = 0;
  for await (const value of fleet.map(source.items, { concurrency: 4 })) {
    assert.equal(value, got * 2);
    got++;
    assert.ok(source.taken() <= got + 4, `${source.taken()} items are taken for ${got} results`);
    assert.ok(fleet.pending <= 4, `${fleet.pending} tasks are pending`);
  }
  assert.deepEqual([got, source.taken(), source.isClosed()], [30, 30, true]);
});

test('break cancels what is under way, and closes the source', needsRedis, async (t) => {
  const { fleet, worker } = await pairFor(t, redis.url);
  const file = join(folderFor(t), 'noted');
  const source = counting(range(20).map((value) => ({ file, value, ms: value === 0 ? 0 : LONGER })));
  for await (const value of fleet.map(source.items, { name: 'noted', concurrency: 5 })) {
    assert.equal(value, 0);
    await until(() => linesOf(file).length === 3, 'the start of the second task');
    break;
  }
  await until(() => worker.health.running === 0, 'the end of the second task');
  await until(async () => (await fleet.stats()).waiting === 0, 'the removal of what waits');
  assert.equal(fleet.pending, 0);
  assert.ok(source.isClosed());
  assert.deepEqual(linesOf(file), ['begin 0', 'end 0', 'begin 1']);
});

test('a failing task ends the loop, after the results before it', needsRedis, async (t) => {
  const { fleet } = await pairFor(t, redis.url);
  const source = counting(['text', 'own', 'never']);
  const error = await caught(
    all(fleet.map(source.items, { name: 'fail', concurrency: 1 })).catch((reason) => {
      throw new Error(String(reason));
    }),
  );
  assert.equal(error.message, 'a text');
  await until(() => source.isClosed(), 'the end of the source');
  assert.equal(source.taken(), 1);
});

test('a failing source ends the loop, after the results before it', needsRedis, async (t) => {
  const { fleet } = await pairFor(t, redis.url);
  function* failing(): Generator<number> {
    yield 1;
    yield 2;
    throw new RangeError('no more');
  }
  const values: unknown[] = [];
  const loop = async (): Promise<void> => {
    for await (const value of fleet.map(failing())) values.push(value);
  };
  assert.equal((await caught(loop())).message, 'no more');
  assert.deepEqual(values, [2, 4]);
});

test('a signal ends the loop and its tasks', needsRedis, async (t) => {
  const { fleet, worker } = await pairFor(t, redis.url);
  const source = counting(range(10).map((value) => ({ value, ms: LONGER })));
  const control = new AbortController();
  const loop = caught(
    all(fleet.map(source.items, { name: 'later', signal: control.signal, concurrency: 3 })),
  );
  await until(() => worker.health.running === 1, 'the first task');
  control.abort('enough');
  const { code, cause } = await within(loop);
  assert.deepEqual([code, cause], ['PLIMSOLL_POOL_ABORTED', 'enough']);
  await until(() => worker.health.running === 0, 'the end of the task');
  await until(() => source.isClosed(), 'the end of the source');
});

test('options of each task hold for each item', needsRedis, async (t) => {
  const { fleet } = await pairFor(t, redis.url);
  const file = join(folderFor(t), 'flaky');
  assert.deepEqual(await all(fleet.map([{ file, failures: 2 }], { name: 'flaky', attempts: 3 })), [3]);
  const late = all(fleet.map([{ ms: LONGER }], { name: 'later', timeout: 200 }));
  assert.equal((await caught(late)).code, 'PLIMSOLL_POOL_TIMEOUT');
});
