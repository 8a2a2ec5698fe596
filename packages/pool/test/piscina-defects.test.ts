import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import Piscina, { type PiscinaOptions } from '@plimsoll/pool/piscina';
import { caught, fixture, until } from './support.js';

/** What Piscina 5.3.2 gets wrong, each shown right on its own interface. */
function open(t: { after(fn: () => Promise<void>): void }, options: PiscinaOptions = {}): Piscina {
  const filename = fileURLToPath(fixture('tasks.mjs'));
  const piscina = new Piscina({ filename, minThreads: 1, maxThreads: 1, ...options });
  t.after(() => piscina.destroy());
  return piscina;
}

test('tasks with a signal do not bypass maxQueue', async (t) => {
  const piscina = open(t, { maxQueue: 1 });
  const { signal } = new AbortController();
  const runs = Array.from({ length: 100 }, () => piscina.run({ a: 1, b: 1 }, { signal }));
  const results = await Promise.allSettled(runs);
  assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 2);
});

test('tasks with a signal do not overtake others', async (t) => {
  const piscina = open(t);
  const { signal } = new AbortController();
  const values = Array.from({ length: 50 }, (_, index) => index);
  await Promise.all(
    values.map((value) => piscina.run(value, { name: 'record', ...(value % 3 === 0 ? { signal } : {}) })),
  );
  assert.deepEqual(await piscina.run(0, { name: 'recorded' }), values);
});

test('at maxQueue 0 a task that is rejected does not run', async (t) => {
  const piscina = open(t, { maxQueue: 0 });
  const busy = piscina.run(30, { name: 'block' });
  await assert.rejects(piscina.run(1, { name: 'record' }), /No task queue available/);
  await busy;
  assert.deepEqual(await piscina.run(0, { name: 'recorded' }), []);
});

test('a result that cannot be cloned does not cost the worker', async (t) => {
  const piscina = open(t);
  const before = await piscina.run(0, { name: 'thread' });
  await assert.rejects(piscina.run(0, { name: 'returnFunction' }), /result.deep\[0\].callback/);
  assert.equal(await piscina.run(0, { name: 'thread' }), before);
});

test('with a missing file every run is rejected, the queued ones too', async (t) => {
  const piscina = open(t, { filename: fileURLToPath(fixture('missing.mjs')) });
  piscina.on('error', () => {});
  const errors = await Promise.all([1, 2, 3, 4, 5].map((value) => caught(piscina.run(value))));
  for (const error of errors) assert.equal(error.code, 'ERR_MODULE_NOT_FOUND');
});

test('a queued task goes to the ready worker that idles, not to one that starts', async (t) => {
  const started = new Int32Array(new SharedArrayBuffer(4));
  const filename = fileURLToPath(fixture('slow-second.mjs'));
  const piscina = open(t, { filename, maxThreads: 2, idleTimeout: 10_000, workerData: { started } });
  const ready = await piscina.run(0, { name: 'thread' });
  for (const value of [0, started]) {
    const busy = piscina.run(20, { name: 'block' });
    // One more than the ready worker takes: it starts the second one.
    const queued = piscina.run(value, { name: 'thread' });
    assert.equal(piscina.threads.length, 2);
    await busy;
    assert.equal(await queued, ready, 'it waited for the worker that starts');
    assert.equal(await piscina.run(value, { name: 'thread' }), ready);
  }
});

test('needsDrain and drain tell when the pool is full and when it is not', async (t) => {
  const piscina = open(t);
  const events: string[] = [];
  for (const event of ['needsDrain', 'drain']) piscina.on(event, () => events.push(event));
  await piscina.run(1, { name: 'echo' });
  await until(() => events.length % 2 === 0);
  events.length = 0;
  const runs = Array.from({ length: 20 }, () => piscina.run(1, { name: 'echo' }));
  assert.equal(piscina.needsDrain, true);
  await Promise.all(runs);
  await until(() => events.length === 2);
  assert.deepEqual(events, ['needsDrain', 'drain']);
  assert.equal(piscina.needsDrain, false);
});

test('close() of several workers waits for each task', async (t) => {
  for (let round = 0; round < 10; round++) {
    const piscina = open(t, { minThreads: 2, maxThreads: 2 });
    const runs = [1, 2, 3, 4].map((value) => piscina.run({ a: value, b: 1 }));
    await piscina.close();
    assert.deepEqual(await Promise.all(runs), [2, 3, 4, 5]);
  }
});

test('a task that throws null is rejected', async (t) => {
  const thrown = open(t).run(null, { name: 'failOddly' });
  assert.equal(
    await thrown.then(
      () => 'fulfilled',
      (error: unknown) => error,
    ),
    null,
  );
});
