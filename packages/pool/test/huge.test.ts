import assert from 'node:assert/strict';
import { freemem } from 'node:os';
import { test } from 'node:test';
import { fixture, poolFor } from './support.js';

const GIB = 2 ** 30;
/** The value, its copy under way, the copy that arrives, and the same on the way back. */
const skipBelow = (free: number): string | false =>
  freemem() < free && `needs ${free / GIB} GiB of free memory`;
const LIMIT = { timeout: 600_000 };

test('a value of 512 MB arrives and comes back as it is', {
  ...LIMIT,
  skip: skipBelow(6 * GIB),
}, async (t) => {
  const pool = poolFor(t, { filename: fixture('values.mjs') });
  const bytes = new Uint8Array(GIB / 2 - 2 ** 25);
  for (let at = 0; at < bytes.length; at += 4099) bytes[at] = at;
  const text = 'é and a 字'.repeat(2 ** 20);
  const given = { text, list: [bytes.subarray(1), { bytes }] };
  const back = (await pool.run(given, { name: 'echo' })) as typeof given;
  const [view, { bytes: copy }] = back.list as [Uint8Array, { bytes: Uint8Array }];
  assert.ok(back.text === text, 'the text');
  assert.equal(Buffer.compare(copy, bytes), 0);
  assert.equal(view.byteOffset, 1);
  assert.equal(view.buffer, copy.buffer);
  assert.equal(await pool.run({ a: 1, b: 2 }, { name: 'add' }), 3);
});

/** The kernel takes seconds to clear the pages of each way: some lines of Node send, the others get. */
const SENDS = [20, 24].includes(Number.parseInt(process.versions.node, 10));

test(`a typed array of more than 2^31 bytes ${SENDS ? 'arrives' : 'comes back'}`, {
  ...LIMIT,
  skip: skipBelow(12 * GIB),
}, async (t) => {
  const pool = poolFor(t, { filename: fixture('values.mjs') });
  const length = 2 ** 31 + 8;
  if (SENDS) {
    const given = new Uint8Array(length);
    given[length - 1] = 9;
    assert.deepEqual(await pool.run(given, { name: 'ends' }), [length, 9]);
  } else {
    const made = (await pool.run(length, { name: 'bytes' })) as Uint8Array;
    assert.deepEqual([made.length, made.at(-1)], [length, 7]);
  }
  assert.equal(await pool.run({ a: 1, b: 2 }, { name: 'add' }), 3);
});
