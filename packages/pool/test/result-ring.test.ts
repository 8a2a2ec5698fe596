import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { layoutOf } from '../dist/shared/layout.js';
import { tableOf } from '../dist/shared/memory.js';
import type { Message } from '../dist/shared/messages.js';
import { ResultRing, ringRead, ringWordOf } from '../dist/shared/result-ring.js';
import type { Channel } from '../dist/worker/channel.js';
import { outcomeOf } from '../dist/worker/outcome.js';

const SIZE = 2 ** 21;

function ringOf() {
  const table = tableOf(layoutOf({ slots: 2, workers: 2, slotWords: 32, mailbox: 2, spinners: 0 }));
  return { table, ring: new ResultRing(table, 1) };
}

test('what the host has not read is never given out again, and a ring that was read is all free', () => {
  const step = fc.oneof(
    fc.record({ allocate: fc.integer({ min: 1, max: SIZE / 2 }) }),
    fc.record({ discard: fc.integer({ min: 1, max: SIZE / 2 }) }),
    fc.constant('read' as const),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const { table, ring } = ringOf();
      const unread: { position: number; words: number }[] = [];
      for (const next of steps) {
        if (next === 'read') {
          const oldest = unread.shift();
          if (oldest !== undefined) ringRead(table, 1, oldest.position, oldest.words);
          continue;
        }
        const mark = ring.front;
        const words = 'allocate' in next ? next.allocate : next.discard;
        const position = ring.allocate(words);
        if (unread.length === 0) assert.notEqual(position, -1, 'an empty ring has room');
        if (position === -1) continue;
        const start = ringWordOf(position);
        assert.ok(start + words <= SIZE, 'wraps around the end');
        for (const other of unread) {
          const at = ringWordOf(other.position);
          assert.ok(start + words <= at || at + other.words <= start, 'overlaps what is unread');
        }
        if ('discard' in next) ring.front = mark;
        else unread.push({ position, words });
      }
    }),
    { numRuns: 500 },
  );
});

test('more than half of the ring is refused', () => {
  const { ring } = ringOf();
  assert.equal(ring.allocate(SIZE / 2 + 1), -1);
  assert.equal(ring.allocate(SIZE / 2), 0);
});

test('positions go on beyond 2^31', () => {
  const { table, ring } = ringOf();
  for (let turn = 0; turn < 2 ** 14 + 3; turn++) {
    const position = ring.allocate(SIZE / 2);
    assert.notEqual(position, -1);
    ringRead(table, 1, position, SIZE / 2);
  }
});

test('a ring whose announcement failed is announced again before it is used', () => {
  const table = tableOf(layoutOf({ slots: 2, workers: 2, slotWords: 32, mailbox: 2, spinners: 0 }));
  const announced: unknown[] = [];
  let isBroken = true;
  const post = (value: Message): void => {
    if (isBroken) throw new Error('the port is gone');
    if (value[0] === 'results') announced.push(value[1] instanceof SharedArrayBuffer);
  };
  const outcome = outcomeOf({ post, table, index: 0 } as unknown as Channel, Number.POSITIVE_INFINITY);
  const large = 'x'.repeat(10_000);
  assert.throws(() => outcome.succeed(0, large), /the port is gone/);
  isBroken = false;
  outcome.succeed(0, large);
  assert.deepEqual(announced, [true]);
});
