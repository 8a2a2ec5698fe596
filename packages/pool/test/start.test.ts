import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { MessageChannel } from 'node:worker_threads';
import { startThread } from '../dist/host/start-thread.js';
import { bareStartup, fixture, poolFor } from './support.js';

test('a worker waits for a host that is held up between starting the thread and telling it what to do', async (t) => {
  const { port1, port2 } = new MessageChannel();
  const thread = startThread({});
  t.after(() => thread.terminate());
  const failed = new Promise((_, reject) => thread.once('error', reject));
  await Promise.race([once(thread, 'online'), failed]);
  await sleep(100);
  thread.postMessage({ ...bareStartup().startup, port: port2 }, [port2]);
  const ready = new Promise<unknown>((resolve) => port1.once('message', resolve));
  t.after(() => port1.close());
  assert.deepEqual(await Promise.race([ready, failed]), ['ready', 0]);
});

test('Node imports what --import names before a worker file, wherever the option stands', async (t) => {
  const option = `--import=data:text/javascript,globalThis.early='imported'`;
  const filename = fixture('early.mjs');
  const own = poolFor(t, { filename, execArgv: [option], argv: ['own'] });
  assert.equal(await own.run(0), 'imported');
  assert.deepEqual(await own.run(0, { name: 'argv' }), [process.execPath, process.execPath, 'own']);
  const byEnvironment = poolFor(t, { filename, env: { ...process.env, NODE_OPTIONS: option } });
  assert.equal(await byEnvironment.run(0), 'imported');
  const neither = poolFor(t, { filename, execArgv: [], env: {} });
  assert.equal(await neither.run(0), 'nothing was imported before');
});
