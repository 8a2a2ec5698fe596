import assert from 'node:assert/strict';
import { pbkdf2 } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { monitorThreadPool, type SaturationEvent } from '@plimsoll/monitor';
import { fixture, HAS_FIFOS, holdThreads, IS_LINUX, runNode, until } from './support.js';

const SIZE = 4;
/** So fast that tests need not wait. */
const QUICK = { resolution: 2, slowResolution: 5 };
const MS = 1e6;

test('what is no resolution is refused', () => {
  for (const wrong of ['20', null, true, {}, 20n])
    assert.throws(() => monitorThreadPool({ resolution: wrong as number }), {
      name: 'TypeError',
      code: 'PLIMSOLL_MONITOR_BAD_OPTION',
      message: /^options\.resolution must be a whole number of milliseconds from 1 on, not /,
    });
  for (const wrong of [0, -1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 31])
    assert.throws(() => monitorThreadPool({ resolution: wrong }), { name: 'RangeError' });
  assert.throws(() => monitorThreadPool({ slowResolution: 0 }), /^RangeError: options\.slowResolution/);
  assert.throws(() => monitorThreadPool(null as never), { name: 'TypeError' });
});

test('it is switched on and off, and says whether that changed anything', async () => {
  const monitor = monitorThreadPool(QUICK);
  assert.equal(monitor.disable(), false);
  assert.equal(monitor.enable(), true);
  assert.equal(monitor.enable(), false);
  await stat('.');
  await until(() => monitor.count > 5 && monitor.slow.count > 2);
  assert.equal(monitor.disable(), true);
  const { count } = monitor;
  await sleep(50);
  assert.equal(monitor.count, count, 'what was measured stays, nothing is added');
  assert.equal(monitor.threadPool.busy, undefined);
  monitor.enable();
  await until(() => monitor.count > count);
  monitor[Symbol.dispose]();
  assert.equal(monitor.disable(), false);
  // Of a monitor that runs, canaries that are out would count at once.
  monitor.reset();
  assert.deepEqual([monitor.count, monitor.slow.count], [0, 0]);
});

test('every thread held: nothing comes back, and the reading grows', { skip: !HAS_FIFOS }, async (t) => {
  using monitor = monitorThreadPool(QUICK);
  const held = holdThreads(t, SIZE);
  monitor.enable();
  await until(() => monitor.count > 20);
  await sleep(300);
  // None returned, so each that is out tells of its age; those that went first are as old as the sleep.
  assert.ok(monitor.max >= 250 * MS, `${monitor.max}`);
  assert.ok(monitor.min > 1000, `${monitor.min}`);
  await held.release();
  await until(() => monitor.percentile(1) < 50 * MS);
  assert.ok(monitor.max >= 250 * MS, 'and they count with what they waited');
});

test('one thread free: no wait', { skip: !HAS_FIFOS }, async (t) => {
  using monitor = monitorThreadPool(QUICK);
  holdThreads(t, SIZE - 1);
  monitor.enable();
  // A free thread takes a canary at once, unless it waits for a core: some hundredths of a second without that are enough.
  await until(() => {
    if (monitor.count < 20) return false;
    const median = monitor.percentile(50);
    monitor.reset();
    return median < 20 * MS;
  });
});

test('slow I/O is a class of its own: fast jobs pass it', { skip: !HAS_FIFOS }, async (t) => {
  using monitor = monitorThreadPool(QUICK);
  const held = holdThreads(t, SIZE);
  monitor.enable();
  await until(() => monitor.slow.count >= 2);
  await sleep(100);
  assert.ok(monitor.slow.max >= 50 * MS, `${monitor.slow.max}`);
  await held.release();
  await until(() => monitor.slow.percentile(1) < 50 * MS);
});

test('a blocked event loop does not raise the reading', async () => {
  using monitor = monitorThreadPool(QUICK);
  monitor.enable();
  await stat('.');
  await until(() => monitor.count > 10);
  // While the loop is blocked, canaries come back; if it counted, each were as old as the block. One block without a wait for a core
  // is enough.
  await until(() => {
    monitor.reset();
    const end = performance.now() + 100;
    while (performance.now() < end);
    return monitor.count > 20 && monitor.percentile(50) < 10 * MS;
  });
});

test('it sees the wait behind jobs that compute', async (t) => {
  using monitor = monitorThreadPool(QUICK);
  const enabled = performance.now();
  monitor.enable();
  await stat('.');
  await until(() => monitor.count > 10);
  monitor.reset();
  let isOn = true;
  const work = async (): Promise<void> => {
    while (isOn) await promisify(pbkdf2)('a', 'b', 25_000, 64, 'sha512');
  };
  const all = Promise.all(Array.from({ length: 10 * SIZE }, work));
  t.after(() => {
    isOn = false;
    return all;
  });
  // Nine jobs of each thread are before a canary, of ten milliseconds or more each.
  await until(() => monitor.percentile(50) > 50 * MS);
  assert.ok(
    monitor.max / MS < (performance.now() - enabled) * 1.01,
    'no wait is longer than the monitor runs',
  );
});

test('saturation is told when it begins and when it is over', { skip: !HAS_FIFOS }, async (t) => {
  using monitor = monitorThreadPool(QUICK);
  const events: SaturationEvent[] = [];
  const ended: SaturationEvent[] = [];
  monitor.onSaturation({ waitMs: 30, forMs: 60 }, (event) => events.push(event));
  // Before the first canary: none gets a thread soon, and none late.
  const held = holdThreads(t, SIZE);
  monitor.enable();
  const end = monitor.onSaturation({ waitMs: 30, forMs: 60 }, (event) => ended.push(event));
  await until(() => events.length === 1 && ended.length === 1);
  assert.ok(events[0]?.saturated && events[0].waitMs >= 30, JSON.stringify(events));
  end();
  await held.release();
  await until(() => events.length >= 2);
  assert.equal(events[1]?.saturated, false);
  assert.equal(ended.length, 1, 'it had been ended');
});

test('what is no saturation is refused', () => {
  const monitor = monitorThreadPool();
  const nothing = (): void => {};
  const code = 'PLIMSOLL_MONITOR_BAD_OPTION';
  for (const options of [
    { waitMs: 0, forMs: 1 },
    { waitMs: 1, forMs: -1 },
    { waitMs: Number.NaN, forMs: 1 },
  ])
    assert.throws(() => monitor.onSaturation(options, nothing), { name: 'RangeError', code });
  for (const options of [undefined, {}, { waitMs: 1 }, { waitMs: '1', forMs: 1 }])
    assert.throws(() => monitor.onSaturation(options as never, nothing), { name: 'TypeError', code });
  assert.throws(() => monitor.onSaturation({ waitMs: 1, forMs: 1 }, undefined as never), {
    name: 'TypeError',
    code,
  });
});

const PROGRAM = (body: string): string[] => [
  '--input-type=module',
  '-e',
  `
  import { monitorThreadPool } from '${import.meta.resolve('@plimsoll/monitor')}';
  import { readdirSync, readFileSync } from 'node:fs';
  ${body}`,
];

test('it does not keep the process alive', async () => {
  const { code, stdout } = await runNode(
    PROGRAM(`
    monitorThreadPool({ resolution: 1 }).enable();
    process.on('exit', () => console.log('left'));`),
  );
  assert.deepEqual([code, stdout], [0, 'left\n']);
});

test('a process ends with canaries out', async () => {
  const { code, stderr } = await runNode(
    PROGRAM(`
    import { pbkdf2 } from 'node:crypto';
    const monitor = monitorThreadPool({ resolution: 1 });
    monitor.enable();
    const work = () => pbkdf2('a', 'b', 50_000, 64, 'sha512', work);
    for (let job = 0; job < 40; job++) work();
    setInterval(() => monitor.max > 50e6 && process.exit(7), 10);`),
  );
  assert.deepEqual([code, stderr], [7, '']);
});

test('it leaves nothing behind', { skip: !IS_LINUX }, async () => {
  const count = (): number[] => ['task', 'fd'].map((kind) => readdirSync(`/proc/self/${kind}`).length);
  await stat('.');
  const before = count();
  for (let round = 0; round < 3; round++) {
    const monitor = monitorThreadPool(QUICK);
    monitor.enable();
    await until(() => monitor.count > 3);
    monitor.disable();
  }
  await until(() => count().every((number, index) => number <= (before[index] as number)));
});

test('it does not start the pool, so the application may still set its size', {
  skip: !IS_LINUX,
}, async () => {
  const { stdout } = await runNode([fixture('untouched.cjs')]);
  assert.deepEqual(JSON.parse(stdout), { before: 0, size: 7 });
});

test('what the application preloads does not run in its thread', async () => {
  const preload = `data:text/javascript,${encodeURIComponent("import { threadId } from 'node:worker_threads'; console.log('in', threadId);")}`;
  const program = PROGRAM(`
    const monitor = monitorThreadPool({ resolution: 1 });
    monitor.enable();
    (await import('node:crypto')).randomBytes(8, () => {});
    const timer = setInterval(() => monitor.count > 0 && clearInterval(timer), 2);`);
  const { stdout } = await runNode(['--import', preload, ...program], {
    env: { ...process.env, NODE_OPTIONS: `--import ${preload}` },
  });
  assert.deepEqual([...new Set(stdout.trim().split('\n'))], ['in 0']);
});

test('it works in a Worker, and ends with it', async () => {
  const { code, stdout, stderr } = await runNode([fixture('worker.cjs')]);
  assert.deepEqual([code, stdout.trim().split('\n'), stderr], [0, ['measured true', 'exit 0'], '']);
});
