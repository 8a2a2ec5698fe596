import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Script } from 'node:vm';
import { MessageChannel } from 'node:worker_threads';
import { codeCache } from '../dist/host/code-cache.js';
import { Core } from '../dist/host/core.js';
import { fillOptions } from '../dist/host/options.js';
import { startThread } from '../dist/host/start-thread.js';
import type { Message } from '../dist/shared/messages.js';
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

/** Without declarations, as bundling writes it. */
const { ENTRY } = (await import('../dist/worker/source.js' as string)) as { ENTRY: string };

/** Starts a thread, and gives the first messages of its worker. */
async function firstMessages(t: TestContext, count: number): Promise<Message[]> {
  const { port1, port2 } = new MessageChannel();
  const thread = startThread({});
  t.after(() => thread.terminate());
  t.after(() => port1.close());
  const failed = new Promise<never>((_, reject) => thread.once('error', reject));
  thread.postMessage({ ...bareStartup().startup, port: port2 }, [port2]);
  const messages: Message[] = [];
  const enough = new Promise<Message[]>((resolve) => {
    port1.on('message', (message: Message) => {
      if (messages.push(message) === count) resolve(messages);
    });
  });
  return Promise.race([enough, failed]);
}

test("a thread makes V8's code of its entry once others may follow, and takes what another one has made", async (t) => {
  Object.assign(codeCache, { code: undefined, isWanted: true });
  const [ready, made] = await firstMessages(t, 2);
  assert.deepEqual(ready, ['ready', 0]);
  assert.equal(made?.[0], 'code');
  const code = made[1];
  assert.equal(new Script(ENTRY, { cachedData: code }).cachedDataRejected, false);
  codeCache.code = code;
  assert.deepEqual(await firstMessages(t, 1), [['ready', 0]]);
  codeCache.code = code.map((byte) => ~byte);
  assert.deepEqual(await firstMessages(t, 1), [['ready', 0]]);
  // V8 takes code for that of any text as long.
  codeCache.code = new Script(ENTRY.replace('enterWorker();', "throw 'used' ;")).createCachedData();
  await assert.rejects(firstMessages(t, 1), (thrown) => thrown === 'used');
});

test('the first worker of a pool makes no code, and one that takes its place does', async (t) => {
  Object.assign(codeCache, { code: undefined, isWanted: false });
  const options = { filename: fixture('early.mjs'), name: 'argv', minThreads: 1, maxThreads: 1 };
  const core = new Core(fillOptions({ ...options, maxTasksPerWorker: 1 }), () => {});
  t.after(() => core.destroy());
  const run = (): Promise<unknown> => core.run(0, -1, undefined);
  await run();
  assert.equal(codeCache.code, undefined);
  while (codeCache.code === undefined) await run();
  assert.equal(new Script(ENTRY, { cachedData: codeCache.code }).cachedDataRejected, false);
  for (let task = 0; task < 3; task++) await run();
});
