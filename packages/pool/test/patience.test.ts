import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Patience } from '../dist/worker/patience.js';

const afterWorkOf = (milliseconds: number): Patience => {
  const patience = new Patience();
  patience.worked(milliseconds);
  return patience;
};

describe('how long a worker waits in place after long work', () => {
  test('it spins for two hundredths of it, three tenths of a millisecond at most', () => {
    const patience = new Patience();
    assert.equal(patience.current, 0);
    assert.equal(patience.worked(10), 0.2);
    assert.equal(patience.current, 0.2);
    assert.equal(patience.worked(60_000), 0.3);
  });

  test('then it naps, also when it has given up: two hundredths of the work, a millisecond at most', () => {
    const patience = new Patience();
    assert.equal(patience.nap, 0);
    patience.worked(20);
    assert.equal(patience.nap, 0.4);
    for (let spin = 0; spin < 3; spin++) patience.missed();
    assert.equal(patience.current, 0);
    assert.equal(patience.nap, 0.4);
    patience.worked(60_000);
    assert.equal(patience.nap, 1);
  });

  test('all of it or nothing: three spins in vain, one after another, and it gives up', () => {
    const patience = afterWorkOf(50);
    patience.missed();
    patience.missed();
    patience.found();
    patience.missed();
    patience.missed();
    assert.equal(patience.current, 0.3);
    patience.missed();
    assert.equal(patience.current, 0);
    assert.equal(patience.worked(50), 0.3);
    assert.equal(patience.current, 0);
  });

  test('four sleeps that were as short earn one more trial, long ones none', () => {
    const patience = afterWorkOf(50);
    for (let spin = 0; spin < 3; spin++) patience.missed();
    for (let sleep = 0; sleep < 20; sleep++) patience.slept(1);
    for (let sleep = 0; sleep < 3; sleep++) patience.slept(0.6);
    assert.equal(patience.current, 0);
    patience.slept(0.6);
    assert.equal(patience.current, 0.3);
    patience.missed();
    assert.equal(patience.current, 0);
  });
});
