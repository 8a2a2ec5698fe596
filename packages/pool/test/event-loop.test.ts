import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Pump, type Pumped } from '#pool/host/pump.js';

/** Far more tasks, each over at once, than fit into the half millisecond that the pump may hold the event loop. */
const MANY = 1_000_000;

test('the event loop turns although every task is over before the next one is submitted', async () => {
  let tasks = 0;
  let outstanding = 0;
  let turned = false;
  const pumped: Pumped = {
    words: new Int32Array(new SharedArrayBuffer(4096)),
    get outstanding() {
      return outstanding;
    },
    hasSpareCore: true,
    turn() {
      const ended = outstanding;
      outstanding = 0;
      if (ended > 0) void Promise.resolve().then(submit);
      return ended;
    },
    anythingDone: () => outstanding > 0,
    wakeWorkers() {},
    wakeForBacklog() {},
  };
  const pump = new Pump(pumped);
  const submit = (): void => {
    if (turned || ++tasks === MANY) return;
    outstanding++;
    pump.submitted();
  };
  submit();
  await new Promise((resolve) => setImmediate(resolve));
  turned = true;
  pump.stop();
  assert.ok(tasks < MANY, 'a million tasks in one turn of the event loop');
});
