import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Pool } from '@plimsoll/pool';
import { caught, fixture, poolFor } from './support.js';

const open = (context: { after(fn: () => Promise<void>): void }): Pool =>
  poolFor(context, { filename: fixture('microtasks.mjs') });

const trace = (number: number): string[] => [
  `task ${number}`,
  `microtask ${number}`,
  `second microtask ${number}`,
  `tick ${number}`,
];

for (const name of ['leave', 'leaveAsync']) {
  test(`what a task leaves behind runs before the next task: ${name}`, async (t) => {
    const pool = open(t);
    const numbers = Array.from({ length: 200 }, (_, number) => number);
    await Promise.all(numbers.map((number) => pool.run(number, { name })));
    assert.deepEqual(await pool.run(undefined, { name: 'taken' }), numbers.flatMap(trace));
  });
}

for (const name of ['throwInTick', 'throwInMicrotask', 'rejectUnhandled']) {
  test(`what a task left behind and throws costs no later task that was submitted with it: ${name}`, async (t) => {
    const pool = open(t);
    await pool.run(undefined, { name: 'taken' });
    const errors: unknown[] = [];
    pool.on('error', (error) => errors.push(error));
    const tasks = [name, ...new Array<string>(50).fill('taken')].map((task) =>
      pool.run(undefined, { name: task }),
    );
    await Promise.all(tasks);
    assert.equal(errors.length, 1);
    assert.ok(errors[0] instanceof RangeError);
  });

  test(`a worker file that catches what is uncaught goes on: ${name}`, async (t) => {
    const pool = open(t);
    await pool.run(undefined, { name: 'catchUncaught' });
    const threadId = pool.threads[0]?.threadId;
    for (let round = 0; round < 5; round++) {
      // Those through the port start in a callback of the port.
      const values = [undefined, undefined, new SharedArrayBuffer(4), undefined];
      const names = [name, 'taken', name, 'taken'];
      await Promise.all(names.map((task, place) => pool.run(values[place], { name: task })));
    }
    assert.equal(await pool.run(undefined, { name: 'uncaughtCount' }), 10);
    assert.equal(pool.threads[0]?.threadId, threadId);
  });
}

test('a promise that a task rejects and handles later is no unhandled one', async (t) => {
  const pool = poolFor(t);
  assert.equal((await caught(pool.run('later', { name: 'failLater' }))).message, 'later');
  assert.equal(await pool.run(1, { name: 'echo' }), 1);
});
