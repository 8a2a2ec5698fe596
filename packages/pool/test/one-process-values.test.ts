import assert from 'node:assert/strict';
import { createSecretKey, webcrypto } from 'node:crypto';
import { test } from 'node:test';
import { UncloneableError } from '@plimsoll/pool';
import { decode, encode } from '@plimsoll/pool/internal';

const key = await webcrypto.subtle.generateKey({ name: 'AES-GCM', length: 128 }, true, ['encrypt']);
const values: Record<string, unknown> = {
  MessagePort: new MessageChannel().port1,
  SharedArrayBuffer: new SharedArrayBuffer(8),
  'a view of a SharedArrayBuffer': new Int32Array(new SharedArrayBuffer(8)),
  Blob: new Blob(['text']),
  KeyObject: createSecretKey(Buffer.from('secret')),
  CryptoKey: key,
  ReadableStream: new ReadableStream(),
  'an async generator': (async function* () {})(),
  'a function': () => {},
};

for (const [name, value] of Object.entries(values)) {
  test(`what another process cannot have is refused with a code, whole or as a part: ${name}`, () => {
    for (const given of [value, { parts: [value, new Error('leads to the other format')] }]) {
      assert.throws(
        () => encode(given, 'task'),
        (error: unknown) => {
          assert.ok(error instanceof UncloneableError, String(error));
          assert.equal(error.code, 'PLIMSOLL_POOL_UNCLONEABLE');
          assert.match(error.message, /^task/);
          return true;
        },
      );
    }
  });
}

test('views and buffers go through both formats', () => {
  const bytes = new Uint8Array([1, 2, 3]);
  assert.deepEqual(decode(encode(bytes)), bytes);
  const { view } = decode(encode({ view: bytes, error: new Error('the other format') })) as { view: unknown };
  assert.deepEqual(view, bytes);
});
