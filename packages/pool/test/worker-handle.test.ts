import assert from 'node:assert/strict';
import { test } from 'node:test';
import { WorkerHandle } from '../dist/host/worker-handle.js';
import { SLEEPING } from '../dist/shared/gate.js';
import { HANDLER } from '../dist/shared/messages.js';
import { bareStartup, until } from './support.js';

const { waitAsync } = Atomics as unknown as {
  waitAsync(words: Int32Array, gate: number, state: number, ms: number): { value: unknown };
};

test('what is posted to a sleeping worker wakes it from a nap, too, which hears of no message', async (t) => {
  const { table, startup } = bareStartup();
  const nothing = (): void => {};
  const events = { onWake: nothing, onReady: nothing, onMessage: nothing, onError: nothing, onExit: nothing };
  const worker = new WorkerHandle(startup, table, {}, events);
  t.after(() => worker.terminate());
  // Node keeps no event loop alive for `waitAsync`.
  const alive = setInterval(nothing, 1000);
  t.after(() => clearInterval(alive));
  await until(() => Atomics.load(table.words, worker.gate) === SLEEPING);
  const heard = waitAsync(table.words, worker.gate, SLEEPING, 10_000).value;
  worker.deliver([HANDLER, 0, 'file', 'name'], []);
  assert.equal(await heard, 'ok');
});
