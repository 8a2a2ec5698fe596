import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Pool } from '@plimsoll/pool';
import Piscina, { move, type PiscinaOptions, type PiscinaWorker } from '@plimsoll/pool/piscina';
import Original from 'piscina';
import { fixture, until } from './support.js';

const filename = fileURLToPath(fixture('tasks.mjs'));
const open = (options: PiscinaOptions = {}): Piscina => new Piscina({ filename, maxThreads: 1, ...options });

test('runs tasks, by run and by the older runTask', async () => {
  await using piscina = open();
  assert.equal(await piscina.run({ a: 4, b: 6 }), 10);
  assert.equal(await piscina.runTask({ a: 4, b: 6 }), 10);
  const bytes = new Uint8Array(8);
  await piscina.runTask({ a: bytes, b: 1 }, [bytes.buffer], filename);
  assert.equal(bytes.byteLength, 0);
  const emitter = new EventEmitter();
  const aborted = piscina.runTask(1, filename, emitter);
  emitter.emit('abort');
  await assert.rejects(aborted, { name: 'AbortError', message: 'The task has been aborted' });
  assert.equal(typeof move, 'function');
  assert.equal(Piscina.isWorkerThread, false);
  assert.equal(new Piscina.FixedQueue().size, 0);
});

test('error texts are Piscina’s', async () => {
  const bad: [PiscinaOptions, string][] = [
    [{ filename: 1 as never }, 'options.filename must be a string or null'],
    [{ minThreads: -1 }, 'options.minThreads must be a non-negative integer'],
    [{ maxThreads: 0 }, 'options.maxThreads must be a positive integer'],
    [{ atomics: 'x' as never }, 'options.atomics should be a value of sync, sync or disabled.'],
  ];
  for (const [options, message] of bad)
    assert.throws(() => new Piscina(options), { name: 'TypeError', message });
  assert.throws(() => new Piscina({ workerData: { hello() {} } }), {
    name: 'DataCloneError',
    message: /could not be cloned\.$/,
  });
  const piscina = open({ maxQueue: 0 });
  const running = piscina.run(50, { name: 'block' });
  await assert.rejects(piscina.run(1), { message: 'No task queue available and all Workers are busy' });
  await assert.rejects(piscina.run(1, { name: 1 as never }), { message: 'name argument must be a string' });
  await assert.rejects(piscina.run(1, null as never), { message: 'options must be an object' });
  await running;
  await assert.rejects(piscina.run(3, { name: 'exit' }), { message: /^worker exited with code: 3/ });
  await piscina.destroy();
  const nameless = new Piscina();
  await assert.rejects(nameless.run(1), {
    message: 'filename must be provided to run() or in options object',
  });
  await nameless.destroy();
});

test('takes what Node takes for workers, and what Piscina takes for its default', async () => {
  const nothing = { atomics: null, env: null, execArgv: null };
  await using piscina = open({ ...nothing, argv: [1, 'b'], recordTiming: 0 } as never);
  assert.deepEqual(await piscina.run(1, { name: 'argv' }), ['1', 'b']);
  assert.deepEqual([piscina.options.atomics, piscina.options.recordTiming], ['sync', false]);
  await using other = open({ argv: null } as never);
  assert.deepEqual(await other.run(1, { name: 'argv' }), []);
});

test('idleThreads counts workers that still start, as Piscina does', async () => {
  await using piscina = open({ minThreads: 2, maxThreads: 2 });
  assert.equal(piscina.idleThreads, 2);
  const tasks = [piscina.run(20, { name: 'block' })];
  assert.equal(piscina.idleThreads, 1);
  tasks.push(piscina.run(20, { name: 'block' }));
  assert.equal(piscina.idleThreads, 0);
  await Promise.all(tasks);
  assert.equal(piscina.idleThreads, 2);
  await piscina.destroy();
  assert.equal(piscina.idleThreads, 0);
});

test('runTime and waitTime are where Piscina had them until version 4', async () => {
  await using piscina = open();
  await piscina.run(1, { name: 'echo' });
  const { runTime, waitTime } = piscina.histogram;
  assert.deepEqual(piscina.runTime, runTime);
  assert.deepEqual(piscina.waitTime, waitTime);
  await using untimed = open({ recordTiming: false });
  assert.deepEqual([untimed.runTime, untimed.waitTime], [null, null]);
});

test('a worker of workerCreate and workerDestroy is what balancers get of it', async () => {
  await using piscina = open();
  const destroyed = once(piscina, 'workerDestroy');
  const created: PiscinaWorker[] = [];
  piscina.on('workerCreate', (worker) => created.push(worker));
  // As Piscina's types have them.
  piscina.on('error', (error) => error.message);
  piscina.on('message', (message) => message.text);
  const threadId = await piscina.run(1, { name: 'thread' });
  // The pool may read the result before it hears that the worker is ready.
  await until(() => created.some(({ id }) => id === threadId));
  const worker = created.find(({ id }) => id === threadId) as PiscinaWorker;
  assert.deepEqual([worker.currentUsage, worker.destroyed], [0, false]);
  await piscina.destroy();
  assert.ok(created.includes((await destroyed)[0]));
  assert.equal(worker.destroyed, true);
});

test('completed and duration go on after destroy() and a further task', async () => {
  await using piscina = open();
  await piscina.run(1, { name: 'echo' });
  await piscina.destroy();
  const before = piscina.duration;
  await piscina.run(2, { name: 'echo' });
  assert.equal(piscina.completed, 2);
  assert.ok(piscina.duration > before);
});

test('without recordTiming there is nothing to reset, which is no error', async () => {
  await using piscina = open({ recordTiming: false });
  piscina.histogram.resetRunTime();
  piscina.histogram.resetWaitTime();
  assert.deepEqual([piscina.histogram.runTime, piscina.histogram.waitTime], [undefined, undefined]);
});

test('has the own property names of Piscina, and `default` besides', () => {
  assert.deepEqual(Object.getOwnPropertyNames(Piscina).sort(), Object.getOwnPropertyNames(Original).sort());
  assert.equal((Piscina as unknown as { default: unknown }).default, Piscina);
  assert.equal('version' in Pool, false);
});
