import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { MessageChannel, Worker } from 'node:worker_threads';
import { READY } from '#pool/shared/messages.js';
import { bareStartup } from './support.js';

const ENTRY = new URL('../dist/worker/entry.cjs', import.meta.url);

test('a worker waits for a host that is held up between starting the thread and telling it what to do', async (t) => {
  const { port1, port2 } = new MessageChannel();
  const thread = new Worker(ENTRY);
  t.after(() => thread.terminate());
  const failed = new Promise((_, reject) => thread.once('error', reject));
  await Promise.race([once(thread, 'online'), failed]);
  await sleep(100);
  thread.postMessage({ ...bareStartup().startup, port: port2 }, [port2]);
  const ready = new Promise<unknown>((resolve) => port1.once('message', resolve));
  t.after(() => port1.close());
  assert.deepEqual(await Promise.race([ready, failed]), [READY, 0]);
});
