import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createFleet, createFleetWorker, FleetError } from '@plimsoll/bullmq';
import { Cluster, Redis } from 'ioredis';
import {
  caught,
  type Failure,
  fixture,
  fleetFor,
  LONGER,
  needsRedis,
  pairFor,
  startRedis,
  until,
  within,
  workerFor,
} from './support.js';

const redis = await startRedis();
const guarded = await startRedis({ password: 'the-secret' });
const NOBODY = 'redis://:the-secret@127.0.0.1:1';

/** An error tells what was wrong, but no password. */
function hidesPasswords(error: Failure): void {
  const texts = [error, error.cause].map((one) => String((one as Error | undefined)?.stack));
  assert.doesNotMatch(texts.join(), /the-secret|wrong-word/);
}

test('nothing listens: run(), ready and stats() reject after offlineTimeout', async (t) => {
  const start = performance.now();
  const fleet = fleetFor(t, NOBODY, { queue: 'q', offlineTimeout: 300 });
  for (const each of [fleet.run(1), fleet.ready(), fleet.stats()]) {
    const error = await caught(each);
    assert.ok(error instanceof FleetError);
    assert.deepEqual([error.name, error.code], ['FleetError', 'PLIMSOLL_FLEET_UNAVAILABLE']);
    assert.match(error.message, /ECONNREFUSED.*300 ms \(offlineTimeout\)/);
    assert.equal((error.cause as { code?: string }).code, 'ECONNREFUSED');
    hidesPasswords(error);
  }
  assert.ok(performance.now() - start > 250);
  // While it is gone, nobody waits again.
  await within(caught(fleet.run(1)), 200);
});

test('nothing listens: a worker does not start', async (t) => {
  const worker = createFleetWorker({
    queue: 'q',
    connection: NOBODY,
    filename: fixture('tasks.mjs'),
    threads: 1,
    offlineTimeout: 300,
  });
  t.after(() => worker.close());
  const error = await caught(worker.ready());
  assert.equal(error.code, 'PLIMSOLL_FLEET_UNAVAILABLE');
  hidesPasswords(error);
  assert.equal(worker.isStarted, false);
  assertNames(await caught(worker.close({ force: 'yes' as never })), ['force', 'yes', 'TypeError']);
});

for (const [name, url, message] of [
  ['a wrong password', `redis://:wrong-word@127.0.0.1:${guarded.port}`, /WRONGPASS|invalid/i],
  ['a missing password', `redis://127.0.0.1:${guarded.port}`, /NOAUTH/],
  ['no such database', `redis://127.0.0.1:${redis.port}/99`, /DB index is out of range/],
] as const) {
  test(`${name}: both sides are refused at once`, needsRedis, async (t) => {
    const fleet = fleetFor(t, url, { queue: 'q', offlineTimeout: 60_000 });
    const worker = createFleetWorker({
      queue: 'q',
      connection: url,
      filename: fixture('tasks.mjs'),
      threads: 1,
      offlineTimeout: 60_000,
    });
    t.after(() => worker.close());
    for (const each of [fleet.run(1), fleet.ready(), worker.ready()]) {
      const error = await caught(each);
      assert.equal(error.code, 'PLIMSOLL_FLEET_REFUSED');
      assert.match(error.message, message);
      hidesPasswords(error);
    }
  });
}

test('the right password is taken, as text and as an option', needsRedis, async (t) => {
  for (const connection of [guarded.url, { host: '127.0.0.1', port: guarded.port, password: 'the-secret' }])
    await fleetFor(t, '', { queue: 'q', connection }).ready();
});

test('a name that no worker exports: the error lists who exports what', needsRedis, async (t) => {
  const { fleet } = await pairFor(t, redis.url, { worker: { version: '2.0' } });
  const error = await caught(fleet.run(1, { name: 'rotate' }));
  assert.equal(error.code, 'PLIMSOLL_FLEET_UNKNOWN_TASK');
  assert.match(error.message, new RegExp(`'rotate': .*:${process.pid} \\(version 2\\.0\\) has .*'add'`));
  for (const name of ['toString', 'constructor', '__proto__', ''])
    assert.equal((await caught(fleet.run(1, { name }))).code, 'PLIMSOLL_FLEET_UNKNOWN_TASK', name);
});

test('a worker that does not know a name leaves the task to one that does', needsRedis, async (t) => {
  const { fleet, queue } = await pairFor(t, redis.url, { worker: { filename: fixture('older.mjs') } });
  await workerFor(t, redis.url, { queue });
  const tasks = Array.from({ length: 20 }, (_, value) => fleet.run({ a: value, b: 1 }, { name: 'add' }));
  const results = await within(Promise.all(tasks));
  assert.deepEqual(
    results,
    results.map((_, value) => value + 1),
  );
});

test('a task that is too large is refused here, and a result there', needsRedis, async (t) => {
  const limit = { maxPayload: 10_000 };
  const { fleet } = await pairFor(t, redis.url, { fleet: limit, worker: limit });
  const task = await caught(fleet.run(new Uint8Array(20_000), { name: 'echo' }));
  assert.equal(task.code, 'PLIMSOLL_FLEET_TOO_LARGE');
  assert.match(task.message, /^The task has 20\d\d\d bytes; maxPayload allows 10000/);
  const result = await caught(fleet.run(20_000, { name: 'large', attempts: 3 }));
  assert.ok(result instanceof FleetError);
  assert.equal(result.code, 'PLIMSOLL_FLEET_TOO_LARGE');
  assert.match(result.message, /^The result has 20\d\d\d bytes; maxPayload allows 10000/);
  assert.throws(() => fleet.job(new Uint8Array(20_000)), { code: 'PLIMSOLL_FLEET_TOO_LARGE' });
  assert.deepEqual(await fleet.run(9_000, { name: 'large' }), new Uint8Array(9_000));
});

test('what cannot be copied is refused, with the path to it', needsRedis, async (t) => {
  const { fleet } = await pairFor(t, redis.url);
  for (const value of [() => {}, Symbol('s'), new WeakMap()]) {
    const error = await caught(fleet.run({ list: [value] }, { name: 'echo' }));
    assert.deepEqual(
      [error.name, error.code, error.path],
      ['UncloneableError', 'PLIMSOLL_POOL_UNCLONEABLE', 'task.list[0]'],
    );
  }
  const shared = await caught(fleet.run([new SharedArrayBuffer(8)], { name: 'echo' }));
  assert.deepEqual([shared.code, shared.path], ['PLIMSOLL_POOL_UNCLONEABLE', 'task']);
  for (const kind of ['symbol', 'function']) {
    const error = await caught(fleet.run(kind, { name: 'uncloneable' }));
    assert.deepEqual([error.code, error.path], ['PLIMSOLL_POOL_UNCLONEABLE', 'result.deep[0]']);
  }
  assert.throws(() => fleet.job(() => {}), { code: 'PLIMSOLL_POOL_UNCLONEABLE' });
});

test('a closed fleet takes nothing more', needsRedis, async (t) => {
  const { fleet } = await pairFor(t, redis.url);
  await fleet.close();
  await fleet.close({ force: true });
  for (const each of [
    fleet.run(1),
    fleet.ready(),
    fleet.stats(),
    fleet.proxy().add?.({}) as Promise<unknown>,
    fleet.map([1]).next(),
  ])
    assert.equal((await caught(each)).code, 'PLIMSOLL_POOL_CLOSED');
});

test('closeTimeout ends the wait for tasks under way', needsRedis, async (t) => {
  const { fleet, worker } = await pairFor(t, redis.url, { fleet: { closeTimeout: 100 } });
  const running = caught(fleet.run({ ms: LONGER, value: 1 }, { name: 'later' }));
  await until(() => worker.health.running === 1, 'the task');
  await within(fleet.close());
  const { code, message } = await running;
  assert.equal(code, 'PLIMSOLL_POOL_CLOSED');
  assert.match(message, /before the result came/);
  assert.equal(worker.health.running, 1, 'the job is not cancelled');
});

const QUEUE = { queue: 'q', connection: NOBODY };
const FILE = { ...QUEUE, filename: fixture('tasks.mjs') };
type Bad = [option: string, value: unknown, kind: 'TypeError' | 'RangeError'];
const BOTH: Bad[] = [
  ['queue', undefined, 'TypeError'],
  ['queue', 7, 'TypeError'],
  ['queue', '', 'RangeError'],
  ['queue', 'a:b', 'RangeError'],
  ['prefix', 7, 'TypeError'],
  ['prefix', 'a:b', 'RangeError'],
  ['connection', 7, 'TypeError'],
  ['connection', null, 'TypeError'],
  ['connection', 'http://localhost', 'RangeError'],
  ['maxPayload', 0, 'RangeError'],
  ['maxPayload', 1.5, 'RangeError'],
  ['maxPayload', 2 ** 40, 'RangeError'],
  ['maxPayload', '1', 'TypeError'],
  ['offlineTimeout', -1, 'RangeError'],
  ['offlineTimeout', Number.NaN, 'RangeError'],
  ['closeTimeout', '1s', 'TypeError'],
];
const FLEET: Bad[] = [
  ['name', 7, 'TypeError'],
  ['keep', 'long', 'TypeError'],
  ['keep.age', 0, 'RangeError'],
  ['keep.count', '5', 'TypeError'],
];
const WORKER: Bad[] = [
  ['filename', undefined, 'TypeError'],
  ['filename', 7, 'TypeError'],
  ['threads', 0, 'RangeError'],
  ['threads', 5000, 'RangeError'],
  ['version', 2, 'TypeError'],
  ['lockDuration', 5, 'RangeError'],
  ['stalledInterval', '1', 'TypeError'],
  ['maxStalledCount', -1, 'RangeError'],
  ['health', 65_536, 'RangeError'],
  ['healthHost', 7, 'TypeError'],
  ['pool', 'none', 'TypeError'],
];
const RUN: Bad[] = [
  ['name', 7, 'TypeError'],
  ['signal', {}, 'TypeError'],
  ['timeout', -1, 'RangeError'],
  ['timeout', '1', 'TypeError'],
  ['grace', Number.NaN, 'RangeError'],
  ['priority', 0.5, 'RangeError'],
  ['priority', 1_000_001, 'RangeError'],
  ['priority', '1', 'TypeError'],
  ['attempts', 0, 'RangeError'],
];
const ID: Bad[] = [
  ['jobId', 7, 'TypeError'],
  ['jobId', '', 'RangeError'],
  ['jobId', 'half a \ud83d', 'RangeError'],
  ['jobId', 'a:b', 'RangeError'],
];
const MAP: Bad[] = [
  ['concurrency', 0, 'RangeError'],
  ['concurrency', '4', 'TypeError'],
  ['ordered', 'yes', 'TypeError'],
];

const withOption = (base: object, option: string, value: unknown): never => {
  const [outer, inner] = option.split('.') as [string, string?];
  return { ...base, [outer]: inner === undefined ? value : { [inner]: value } } as never;
};

/** The error names the option and shows the value. */
function assertNames(error: Failure, [option, value, kind]: Bad): void {
  const what = `${option} = ${String(value)}: ${error.message}`;
  assert.deepEqual([error.name, error.code], [kind, 'PLIMSOLL_POOL_BAD_OPTION'], what);
  assert.ok(error.message.includes(option), what);
  const shown = typeof value === 'object' && value !== null ? 'an object' : String(value);
  assert.ok(error.message.includes(shown), what);
}

const thrownBy = (call: () => unknown): Failure => {
  try {
    call();
  } catch (error) {
    return error as Failure;
  }
  return assert.fail('nothing was thrown');
};

test('a bad option of a fleet is thrown, and named', () => {
  for (const bad of [...BOTH, ...FLEET])
    assertNames(
      thrownBy(() => createFleet(withOption(QUEUE, bad[0], bad[1]))),
      bad,
    );
  for (const options of [undefined, null, 7, 'q'])
    assert.throws(() => createFleet(options as never), TypeError);
});

test(
  'a connection that cannot be is thrown, shows no password, and leaves no client behind',
  needsRedis,
  async (t) => {
    const { port, url } = redis;
    const client = new Redis(url).on('error', () => {});
    const clients = async (): Promise<number> => String(await client.client('LIST')).split('\n').length;
    const before = await clients();
    const cluster = new Cluster([{ host: '127.0.0.1', port }]).on('error', () => {});
    const prefixed = new Redis(url, { keyPrefix: 'k:' }).on('error', () => {});
    t.after(() => {
      for (const each of [client, cluster, prefixed]) each.disconnect();
    });
    for (const [connection, message] of [
      [{ port, keyPrefix: 'k:' }, /keyPrefix/],
      [`${url}?keyPrefix=k:`, /keyPrefix/],
      [prefixed, /keyPrefix/],
      [[], /options\.connection/],
      [new URL('http://:the-secret@127.0.0.1'), /options\.connection/],
      [cluster, /options\.prefix.*braces.*bull:q/],
    ] as const) {
      for (const create of [createFleet, createFleetWorker]) {
        const error = thrownBy(() => create({ ...FILE, queue: 'q', connection: connection as never }));
        assert.equal(error.code, 'PLIMSOLL_POOL_BAD_OPTION');
        assert.match(error.message, message);
        hidesPasswords(error);
      }
    }
    prefixed.disconnect();
    cluster.disconnect();
    await until(async () => (await clients()) <= before, 'the end of every connection');
    client.disconnect();
  },
);

test('a bad option of a worker is thrown, and named', () => {
  for (const bad of [...BOTH, ...WORKER])
    assertNames(
      thrownBy(() => createFleetWorker(withOption(FILE, bad[0], bad[1]))),
      bad,
    );
  assert.throws(() => createFleetWorker({ ...FILE, pool: { maxQueue: -1 } }), {
    code: 'PLIMSOLL_POOL_BAD_OPTION',
  });
});

test('a bad option of run() rejects, one of map(), proxy() and job() is thrown', async (t) => {
  const fleet = fleetFor(t, NOBODY, { queue: 'q', offlineTimeout: 300 });
  for (const bad of [...RUN, ...ID]) {
    const options = withOption({}, bad[0], bad[1]);
    assertNames(await caught(fleet.run(1, options)), bad);
    assertNames(
      thrownBy(() => fleet.job(1, options)),
      bad,
    );
  }
  for (const bad of [...RUN, ...MAP])
    assertNames(
      thrownBy(() => fleet.map([1], withOption({}, bad[0], bad[1]))),
      bad,
    );
  for (const bad of RUN.slice(1))
    assertNames(
      thrownBy(() => fleet.proxy(withOption({}, bad[0], bad[1]))),
      bad,
    );
  assertNames(
    thrownBy(() => fleet.proxy({ name: 'add' } as never)),
    ['name', 'add', 'TypeError'],
  );
  assertNames(
    thrownBy(() => fleet.proxy({ jobId: 'a' } as never)),
    ['jobId', 'a', 'TypeError'],
  );
  for (const items of [7, null, {}])
    assert.equal(thrownBy(() => fleet.map(items as never)).code, 'PLIMSOLL_POOL_BAD_OPTION');
  assertNames(await caught(fleet.close({ force: 'yes' as never })), ['force', 'yes', 'TypeError']);
  assert.equal(fleet.pending, 0);
});

test('a getter of options that throws gives its error, and nothing stays open', async (t) => {
  const trap = {
    get queue(): string {
      throw new Error('trap');
    },
  };
  assert.throws(() => createFleet(trap), { message: 'trap' });
  assert.throws(() => createFleetWorker(trap as never), { message: 'trap' });
  const fleet = fleetFor(t, NOBODY, { queue: 'q', offlineTimeout: 300 });
  const priority = {
    get priority(): number {
      throw new Error('trap');
    },
  };
  assert.equal((await caught(fleet.run(1, priority))).message, 'trap');
  assert.throws(() => fleet.map([1], priority), { message: 'trap' });
  assert.throws(() => fleet.proxy(priority), { message: 'trap' });
});

test('what stands on Object.prototype is no option, and does not travel', needsRedis, async (t) => {
  const { fleet, worker } = await pairFor(t, redis.url);
  const polluted = { name: 'leave', jobId: 'polluted', attempts: 7, spread: true, grace: 'x' };
  t.after(() => {
    for (const name of Object.keys(polluted))
      delete (Object.prototype as never as Record<string, unknown>)[name];
  });
  for (const [name, value] of Object.entries(polluted))
    Object.defineProperty(Object.prototype, name, {
      value,
      configurable: true,
      enumerable: false,
      writable: true,
    });
  assert.equal(await fleet.run(4), 8);
  assert.equal(await fleet.run(5, {}), 10, 'it has taken a jobId from the prototype');
  assert.deepEqual(await fleet.run({ a: 1 }, { name: 'echo' }), { a: 1 });
  const { opts } = fleet.job(1);
  assert.equal(opts?.attempts, 1);
  await until(() => worker.health.ended === 3, 'the end of three jobs');
  const text = JSON.parse('{"__proto__": {"admin": true}}') as unknown;
  assert.deepEqual(Object.keys((await fleet.run(text, { name: 'echo' })) as object), ['__proto__']);
  assert.equal(await fleet.run('admin', { name: 'polluted' }), undefined);
});
