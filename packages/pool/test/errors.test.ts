import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AbortError, PoolError, TimeoutError, UncloneableError, WorkerError } from '@plimsoll/pool';
import * as inner from '../dist/errors.js';

const classes = { PoolError, AbortError, TimeoutError, UncloneableError, WorkerError };

const examples: Record<keyof typeof classes, (from: typeof inner) => Error> = {
  PoolError: (from) => new from.PoolError('PLIMSOLL_POOL_CLOSED', 'closed'),
  AbortError: (from) => new from.AbortError(),
  TimeoutError: (from) => new from.TimeoutError(10, 'task'),
  UncloneableError: (from) => new from.UncloneableError('task', 'a function'),
  WorkerError: (from) => new from.WorkerError('PLIMSOLL_POOL_WORKER_EXITED', 'exited', {}),
};

for (const [name, make] of Object.entries(examples)) {
  for (const [origin, error] of [
    ['this copy', make(classes as unknown as typeof inner)],
    ['another copy of the package', make(inner)],
  ] as const) {
    test(`a ${name} of ${origin} is an instance of its own class and of PoolError alone`, () => {
      const matching = Object.values(classes).filter((Class) => error instanceof Class);
      assert.deepEqual(matching.map((Class) => Class.name).sort(), [...new Set([name, 'PoolError'])].sort());
      assert.ok(error instanceof Error);
    });
  }
}

test('nothing else is an instance of them', () => {
  for (const value of [
    undefined,
    null,
    1,
    {},
    new Error('plain'),
    Object.assign(new Error(''), { name: 'AbortError' }),
  ]) {
    assert.ok(Object.values(classes).every((Class) => !(value instanceof Class)));
  }
});
