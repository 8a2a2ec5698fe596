import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { MessageChannel } from 'node:worker_threads';
import { endOf, type Started } from '#plimsoll/lab/process.js';

test('an answer that came before its process ended is read first, however long the event loop was held up', async (t) => {
  const { port1, port2 } = new MessageChannel();
  t.after(() => port1.close());
  const stderr = Object.assign(new EventEmitter(), { setEncoding: () => stderr });
  const child = Object.assign(new EventEmitter(), { pid: 1, stderr });
  const order: string[] = [];
  // Ports are read when pipes are, and this one stands for the channel of the process.
  port1.on('message', () => order.push('answer'));
  const ended = endOf(child as unknown as Started).then(() => order.push('end'));
  await turn();
  port2.postMessage('');
  child.emit('exit', null, 'SIGKILL');
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 500);
  await ended;
  assert.deepEqual(order, ['answer', 'end']);
});
