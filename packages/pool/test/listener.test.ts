import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { AWAKE, SLEEPING } from '../dist/shared/gate.js';
import { Listener } from '../dist/shared/listener.js';
import { until } from './support.js';

const GATE = 1;
const words = new Int32Array(new SharedArrayBuffer(16));
const turn = (state: number): void => {
  Atomics.store(words, GATE, state);
  Atomics.notify(words, GATE);
};

test('a side that sleeps hears when its gate is turned, once', async () => {
  let heard = 0;
  const listener = new Listener(words, GATE, () => heard++);
  Atomics.store(words, GATE, SLEEPING);
  listener.listen();
  listener.listen();
  await setImmediate();
  assert.equal(heard, 0);
  turn(AWAKE);
  await until(() => heard > 0);
  await setImmediate();
  assert.equal(heard, 1);
});

test('a gate that was turned before is heard of all the same', async () => {
  let heard = 0;
  Atomics.store(words, GATE, AWAKE);
  new Listener(words, GATE, () => heard++).listen();
  await setImmediate();
  assert.equal(heard, 1);
});
