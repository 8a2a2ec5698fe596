import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fifo } from '#plimsoll/collections/fifo.js';

test('what comes first goes first, over many times what is let go at once', () => {
  const [fifo, expected] = [new Fifo(), [] as number[]];
  for (let step = 0; step < 20_000; step++) {
    if (step % 5 < 3) {
      fifo.push(step);
      expected.push(step);
    }
    if (step % 5 > 1) {
      assert.equal(fifo.first, expected[0]);
      assert.equal(fifo.shift(), expected.shift());
    }
    assert.equal(fifo.size, expected.length);
  }
});
