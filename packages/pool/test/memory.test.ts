import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { move } from '@plimsoll/pool';
import { Arena } from '../dist/host/arena.js';
import { Encoder } from '../dist/shared/codec/encode.js';
import { layoutOf } from '../dist/shared/layout.js';
import { CHUNK_WORDS, tableOf } from '../dist/shared/memory.js';
import { ResultRing, ringRead } from '../dist/shared/result-ring.js';
import { caught, fixture, poolFor } from './support.js';
import { poolFor as testPoolFor } from './testing-support.js';

test('chunks of the arena that no slot has needed from one look to the next are given up', () => {
  const changes: (readonly [index: number, isThere: boolean])[] = [];
  const arena = new Arena((index, buffer) => changes.push([index, buffer !== undefined]));
  const addresses = [0, 1, 2].map((slot) => {
    arena.slot = slot;
    return arena.allocate(CHUNK_WORDS);
  });
  assert.equal(arena.allocate(CHUNK_WORDS + 1), -1);
  for (const slot of [0, 2]) arena.release(slot);
  assert.equal(arena.trim(), true, 'they were needed just now');
  assert.equal(arena.trim(), true, 'slot 1 has one');
  assert.deepEqual(changes.slice(3), [
    [0, false],
    [2, false],
  ]);
  assert.deepEqual(
    arena.buffers.map((buffer) => buffer?.byteLength),
    [undefined, CHUNK_WORDS * 4, undefined],
  );
  arena.slot = 3;
  assert.equal(arena.allocate(1000), addresses[0], 'an index is given again');
  for (const slot of [1, 3]) arena.release(slot);
  arena.trim();
  assert.equal(arena.trim(), false);
  assert.deepEqual(arena.buffers, [undefined, undefined, undefined]);
  for (let slot = 0; slot < 16; slot++) assert.notEqual(arena.allocate(CHUNK_WORDS), -1);
  assert.equal(arena.allocate(1), -1, 'sixteen chunks at most');
});

test('an encoder keeps its memory while messages need it, and gives it up when they do not', () => {
  const encoder = new Encoder();
  const large = 'x'.repeat(2 ** 22);
  const wordsFor = (value: unknown): number => encoder.encode(value)?.words.length ?? 0;
  assert.ok(wordsFor(large) >= 2 ** 20);
  assert.equal(encoder.trim(), true);
  assert.ok(wordsFor(large) >= 2 ** 20);
  assert.ok(wordsFor(1) >= 2 ** 20);
  assert.equal(encoder.trim(), true, 'one message has needed it');
  assert.equal(encoder.trim(), false);
  assert.equal(wordsFor(1), 4096);
  assert.ok(wordsFor('x'.repeat(2 ** 25)) > 2 ** 22);
  assert.equal(wordsFor(1), 4096, 'what is larger still is not kept at all');
});

test('a ring is given up when nothing was written to it and the host has read all', () => {
  const table = tableOf(layoutOf({ slots: 2, workers: 2, slotWords: 32, mailbox: 2, spinners: 0 }));
  const ring = new ResultRing(table, 1);
  assert.equal(ring.isSpare(), true);
  const position = ring.allocate(1000);
  assert.equal(ring.isSpare(), false, 'it was written to');
  assert.equal(ring.isSpare(), false, 'that is unread');
  ringRead(table, 1, position, 1000);
  assert.equal(ring.isSpare(), true);
});

test('values arrive as they are, whatever memory was given up and made again', async (t) => {
  const pool = testPoolFor(t, { maxThreads: 2, minThreads: 2 });
  const sizes = [200, 3000, 70_000, 2 ** 20, 5 * 2 ** 20];
  const sampleOf = (size: number, round: number): unknown => ({
    list: Array.from({ length: Math.min(size, 70_000) }, (_, index) => index + round),
    bytes: new Uint8Array(size).fill(round),
  });
  for (let round = 0; round < 6; round++) {
    const values = sizes.slice(round % 3).map((size) => sampleOf(size, round));
    const runs = Promise.all(values.map((value) => pool.run(value)));
    await pool.advance(1);
    assert.deepEqual(await runs, values);
    // Before the next look, at it, or long after both.
    await pool.advance([499, 500, 10_000][round % 3] as number);
  }
});

const CHILD = `
  import { Pool } from '@plimsoll/pool';
  import { setTimeout as sleep } from 'node:timers/promises';
  const pool = new Pool({ filename: process.argv[1], name: 'echo', minThreads: 2, maxThreads: 2 });
  const used = () => { gc(); return process.memoryUsage.rss() / 2 ** 20; };
  const list = () => Array.from({ length: 2 ** 21 }, (_, index) => ({ index, text: 'text ' + index }));
  await Promise.all([1, 2].map(() => pool.run(1)));
  const before = used();
  const lengthOf = async (value) => (await pool.run(value)).length;
  await lengthOf('é字'.repeat(2 ** 26));
  await Promise.all(Array.from({ length: 16 }, (_, at) => lengthOf(new Uint8Array(4e6).fill(at))));
  const end = Date.now() + 60_000;
  while (used() > before + 80 && Date.now() < end) await sleep(200);
  console.log(Math.round(used() - before));
  await pool.close();
`;

test('after values of 256 MB the process is not much larger than before them', async () => {
  const { pathname } = fixture('values.mjs');
  const args = ['--expose-gc', '--input-type=module', '-e', CHILD, pathname];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: import.meta.dirname });
  assert.ok(Number(stdout) < 100, `${stdout.trim()} MB more`);
});

const LIMIT = 100_000;
const TOO_LARGE = 'PLIMSOLL_POOL_VALUE_TOO_LARGE';

test('maxValueBytes bounds tasks and results, whichever way they go', async (t) => {
  const pool = poolFor(t, { maxValueBytes: LIMIT });
  class Own {
    text = 'x'.repeat(LIMIT);
  }
  const large: unknown[] = [
    'x'.repeat(LIMIT),
    'é字'.repeat(LIMIT / 3),
    Array.from({ length: LIMIT / 4 }, (_, index) => index),
    new Uint8Array(LIMIT),
    { bytes: new Uint8Array(LIMIT - 1000), more: new Uint8Array(1000) },
    new Own(),
    new Map([[1, { error: new Error('x'.repeat(LIMIT)) }]]),
    new Set([new Own()]),
  ];
  for (const value of large) {
    const { code, message } = await caught(pool.run(value, { name: 'echo' }));
    assert.equal(code, TOO_LARGE);
    assert.match(
      message,
      /^task has at least \d+ bytes, more than options\.maxValueBytes \(100000\) allows$/,
    );
  }
  for (const [source, what] of [
    ['return "x".repeat(100000)', 'result'],
    ['return new Uint8Array(100000)', 'result'],
    ['return new (class { text = "x".repeat(100000) })', 'result'],
    ['throw "x".repeat(100000)', 'the thrown value'],
  ] as const) {
    const error = await caught(pool.run(source, { name: 'evaluate' }));
    assert.match(error.message, new RegExp(`${what} has at least \\d+ bytes`), source);
  }
  const small = ['x'.repeat(LIMIT - 100), new Uint8Array(LIMIT - 100), { a: [1, 'text'] }];
  for (const value of small) assert.deepEqual(await pool.run(value, { name: 'echo' }), value);
});

test('maxValueBytes does not count what is transferred, and bounds items on every way', async (t) => {
  const pool = poolFor(t, { maxValueBytes: LIMIT });
  const moved = move(new Uint8Array(LIMIT * 2));
  assert.equal(await pool.run(moved, { name: 'size' }), LIMIT * 2);
  const large = new Uint8Array(LIMIT);
  const codeOf = async (promise: Promise<unknown>): Promise<unknown> => (await caught(promise)).code;
  const inLoop = async (items: AsyncIterable<unknown>): Promise<void> => {
    for await (const _ of items);
  };
  assert.equal(await codeOf(inLoop(pool.map([1, large], { name: 'echo' }))), TOO_LARGE);
  const ofStreams = { filename: fixture('streams.mjs'), name: 'moved' };
  await inLoop(pool.stream([LIMIT * 2], ofStreams));
  const copied = { filename: fixture('streams.mjs'), name: 'list' };
  assert.equal(await codeOf(inLoop(pool.stream([1, large], copied))), TOO_LARGE);
  assert.equal(await codeOf(inLoop(pool.stream('made', { name: 'largeItems' }))), TOO_LARGE);
  async function* feed(): AsyncGenerator<unknown> {
    yield 1;
    yield large;
  }
  const fed = { filename: fixture('feeds.mjs'), name: 'listOf' };
  assert.equal(await codeOf(pool.run(feed(), fed)), TOO_LARGE);
});
