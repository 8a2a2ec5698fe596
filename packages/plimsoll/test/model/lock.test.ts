import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Lock } from '#plimsoll/model/lock.js';

const LOOP = 9;

test('who is woken by something else and still finds the lock taken stands in line once', () => {
  const lock = new Lock();
  assert.ok(lock.take(1));
  for (let wake = 0; wake < 3; wake++) assert.ok(!lock.take(LOOP));
  assert.ok(!lock.take(2));
  assert.equal(lock.release(), LOOP);
  assert.ok(lock.take(LOOP));
  assert.equal(lock.release(), 2);
});

test('who takes the lock before its turn leaves the line, so that no wake-up is lost', () => {
  const lock = new Lock();
  lock.take(1);
  lock.take(2);
  lock.take(LOOP);
  lock.take(3);
  assert.equal(lock.release(), 2);
  assert.ok(lock.take(LOOP));
  assert.ok(!lock.take(2));
  assert.equal(lock.release(), 3);
});
