import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { News } from '#plimsoll/tune/child/messages.cjs';
import rings from '#plimsoll/tune/child/ring.cjs';
import wire from '#plimsoll/tune/child/wire.cjs';

const { KIND, CAPACITY, MOST_OPEN, RingReader, RingWriter } = rings;

describe('the ring between the app and its agent', () => {
  test('what is open and what has ended', () => {
    const writer = new RingWriter();
    const reader = new RingReader(writer.ring.memory);
    const [first, second] = [writer.begin(10), writer.begin(20)];
    assert.deepEqual(reader.read().open, [10, 20]);
    writer.end(first, 15, 7, KIND.failed);
    const { open, records } = reader.read();
    assert.deepEqual(open, [20]);
    assert.deepEqual([...records], [10, 15, 4 * 7 + KIND.failed]);
    assert.equal(reader.read().records.length, 0);
    // A slot is used again.
    assert.equal(writer.begin(30), first);
    writer.end(second, 40, 1, KIND.answered);
    assert.deepEqual(reader.read().open, [30]);
  });

  test('what a late reader has missed is counted', () => {
    const writer = new RingWriter();
    const reader = new RingReader(writer.ring.memory);
    for (let at = 0; at < CAPACITY + 5; at++) writer.write(at, at, 1, KIND.answered);
    const { records, lost } = reader.read();
    assert.equal(lost, 5);
    assert.equal(records.length, 3 * CAPACITY);
    assert.equal(records[0], 5);
    assert.equal(records.at(-3), CAPACITY + 4);
  });

  test('more open requests than there are slots are counted, and cost nothing else', () => {
    const writer = new RingWriter();
    for (let at = 1; at <= MOST_OPEN; at++) assert.notEqual(writer.begin(at), -1);
    assert.equal(writer.begin(1), -1);
    assert.equal(new RingReader(writer.ring.memory).read().lost, 1);
  });
});

test('news and samples cross the socket in pieces of any length', () => {
  const sample = {
    at: 1.5,
    cpuMs: 2,
    turn: 3,
    busy: null,
    lost: 1,
    open: [5, 6],
    records: Float64Array.of(1, 2, 4),
  };
  const { records, ...figures } = sample;
  const news = { type: 'route', route: 3, name: 'GET /ä' } as const;
  const bytes = Buffer.concat([
    wire.frame({ type: 'sample', ...figures }, records),
    wire.frame(news),
    wire.frame({ type: 'sample', ...figures }, records),
  ]);
  for (const step of [1, 7, 1000]) {
    const heard: unknown[] = [];
    const reader = new wire.FrameReader<News>((one, doubles) =>
      heard.push(one.type === 'sample' ? { ...one, records: doubles } : one),
    );
    for (let at = 0; at < bytes.length; at += step) reader.push(bytes.subarray(at, at + step));
    const told = { type: 'sample', ...sample };
    assert.deepEqual(heard, [told, news, told]);
  }
});
