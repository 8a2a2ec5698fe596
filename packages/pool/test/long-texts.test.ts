import assert from 'node:assert/strict';
import { test } from 'node:test';
import { poolFor } from './support.js';

/** Around the size from which on Node keeps a text outside of V8's heap, and where its length takes another byte. */
const LENGTHS = [1_031_912, 1_031_913, 1_031_914, 2 ** 21 - 1, 2 ** 21, 2 ** 21 + 1, 5_000_000];
const LATIN1 = Array.from({ length: 256 }, (_, code) => String.fromCharCode(code)).join('');

test('texts of about a million characters and more arrive alike, in both directions', async (t) => {
  const pool = poolFor(t, { maxThreads: 2 });
  for (const length of LENGTHS) {
    const latin = LATIN1.repeat(Math.ceil(length / 256)).slice(0, length);
    const wide = `${latin.slice(1)}\ud800`;
    for (const text of [latin, wide]) {
      // Assertions on texts of this size would print them.
      assert.ok((await pool.run(text, { name: 'echo' })) === text, `${length} characters`);
      const value = { first: text, list: [1, text], last: `${text}!` };
      assert.deepEqual(Object.keys((await pool.run(value, { name: 'echo' })) as object), Object.keys(value));
      const { first, list, last } = (await pool.run(value, { name: 'echo' })) as typeof value;
      assert.ok(
        first === text && list[1] === text && last === value.last,
        `${length} characters in an object`,
      );
    }
  }
});

test('several long texts at once do not get into one another', async (t) => {
  const pool = poolFor(t, { maxThreads: 2 });
  const texts = Array.from({ length: 12 }, (_, index) => String.fromCharCode(97 + index).repeat(1_100_000));
  const results = await Promise.all(texts.map((text) => pool.run(text, { name: 'echo' })));
  assert.ok(results.every((result, index) => result === texts[index]));
});
