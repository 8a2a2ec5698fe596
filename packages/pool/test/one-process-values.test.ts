import assert from 'node:assert/strict';
import { createSecretKey, webcrypto } from 'node:crypto';
import { test } from 'node:test';
import { UncloneableError } from '@plimsoll/pool';
import { encode } from '@plimsoll/pool/internal';

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
    for (const given of [value, { parts: [value] }]) {
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
