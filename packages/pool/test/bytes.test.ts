import assert from 'node:assert/strict';
import { createSecretKey } from 'node:crypto';
import { BlockList } from 'node:net';
import { test } from 'node:test';
import { move, PoolError, UncloneableError } from '@plimsoll/pool';
import { decode, decodeError, encode, encodeError } from '@plimsoll/pool/internal';
import fc from 'fast-check';
import { anything, graphs, leaf } from './arbitraries.js';
import { assertSameGraph } from './graph.js';

/** The bytes at another place in memory, as a client of Redis gives them. */
function elsewhere(bytes: Uint8Array, offset = 3): Uint8Array {
  const memory = new Uint8Array(bytes.length + offset + 5).fill(255);
  memory.set(bytes, offset);
  return memory.subarray(offset, offset + bytes.length);
}

const through = (value: unknown): unknown => decode(elsewhere(encode(value)));
const assertLikeStructuredClone = (value: unknown): void =>
  assertSameGraph(through(value), structuredClone(value));

function errorOf(call: () => unknown): Error & { code?: string; path?: string } {
  try {
    call();
  } catch (error) {
    return error as Error;
  }
  throw new assert.AssertionError({ message: 'nothing was thrown' });
}

test('what is read equals structuredClone of what was written', () => {
  fc.assert(fc.property(leaf, assertLikeStructuredClone));
  fc.assert(fc.property(graphs, assertLikeStructuredClone), { numRuns: 300 });
  fc.assert(fc.property(anything, assertLikeStructuredClone), { numRuns: 1000 });
});

test('what only structured clone can copy, and what is large', () => {
  const bytes = new Uint8Array(200_000).fill(3);
  const resizable: ArrayBuffer = Reflect.construct(ArrayBuffer, [8, { maxByteLength: 16 }]);
  const values = [
    new TypeError('wrong', { cause: new Error('inner') }),
    Object.assign([1, 2], { extra: 1 }),
    resizable,
    { error: new RangeError('a'), at: new Date(5) },
    [bytes, bytes.subarray(10), bytes.buffer, new DataView(bytes.buffer, 8)],
    Array.from({ length: 3 }, () => new Float64Array(20_000).fill(0.5)),
    'é'.repeat(100_000),
    Buffer.from('part of a larger buffer'),
  ];
  for (const value of values) assertLikeStructuredClone(value);
});

test('a value that was marked by move() is copied, and stays', () => {
  const buffer = new Uint8Array([1, 2, 3]);
  assert.deepEqual(through(move(buffer.buffer)), buffer.buffer);
  assert.equal(buffer.length, 3);
});

test('what cannot leave the process is refused by its path, and getters throw what they throw', () => {
  const { port1 } = new MessageChannel();
  port1.close();
  const key = createSecretKey(Buffer.alloc(8));
  for (const value of [() => 1, Symbol('a'), new WeakMap(), Promise.resolve(), port1]) {
    const error = errorOf(() => encode({ user: { value } }, 'task'));
    assert.ok(error instanceof UncloneableError, String(error));
    assert.equal(error.path, 'task.user.value');
  }
  const list = new BlockList();
  for (const value of [new Blob(['a']), key, list, new SharedArrayBuffer(8)]) {
    const error = errorOf(() => encode({ value }, 'task'));
    assert.ok(error instanceof UncloneableError, String(error));
    assert.match(error.message, /^task cannot be copied .*belongs to one process/);
  }
  const reason = new Error('of the getter');
  const value = {
    get bad(): never {
      throw reason;
    },
  };
  assert.equal(
    errorOf(() => encode(value)),
    reason,
  );
});

test('bytes that were not written by it, are cut, changed or of another version are refused by a code', () => {
  const good = encode({ a: [1, 'two'], b: new Uint8Array(100_000) });
  const of = (change: (bytes: Uint8Array) => Uint8Array | undefined): Uint8Array => {
    const bytes = good.slice();
    return change(bytes) ?? bytes;
  };
  const bad = [
    new Uint8Array(0),
    new Uint8Array([1]),
    new Uint8Array(40),
    new Uint8Array([1, 1, 0, 0, 7, 7]),
    of((bytes) => bytes.subarray(0, -1)),
    of((bytes) => bytes.subarray(0, 9)),
    of((bytes) => void bytes.set([2], 0)),
    of((bytes) => void bytes.set([255, 255, 255, 127], 4)),
  ];
  for (const bytes of bad) {
    const error = errorOf(() => decode(bytes));
    assert.ok(error instanceof PoolError, String(error));
    assert.equal(error.code, 'PLIMSOLL_POOL_BAD_BYTES');
  }
  assert.equal(errorOf(() => decodeError(encode(5))).code, 'PLIMSOLL_POOL_BAD_BYTES');
});

test('no changed byte goes unnoticed', () => {
  const sample = fc.oneof(graphs, anything).map((value) => encode(value));
  fc.assert(
    fc.property(sample, fc.nat(), fc.integer({ min: 1, max: 255 }), (bytes, place, change) => {
      const at = place % bytes.length;
      bytes[at] = (bytes[at] as number) ^ change;
      assert.equal(errorOf(() => decode(bytes)).code, 'PLIMSOLL_POOL_BAD_BYTES');
    }),
    { numRuns: 500 },
  );
});

test('an error keeps its class, code, cause and properties', () => {
  class OwnError extends RangeError {
    override name = 'OwnError';
    code = 'OWN';
  }
  const cause = Object.assign(new TypeError('inner'), { at: new Date(1) });
  const error = Object.assign(new OwnError('outer', { cause }), { detail: new Map([[1, 2]]) });
  const read = decodeError(encodeError(error)) as OwnError & { detail: unknown };
  assert.ok(read instanceof RangeError);
  assert.equal(read.constructor.name, 'OwnError');
  assert.deepEqual([read.code, read.message, read.stack], ['OWN', 'outer', error.stack]);
  assert.deepEqual(read.detail, new Map([[1, 2]]));
  assert.ok(read.cause instanceof TypeError);
  assert.deepEqual((read.cause as typeof cause).at, new Date(1));
});

test('whatever is thrown can be told', () => {
  const hostile = Object.defineProperty(new Error('a'), 'message', {
    get() {
      throw new Error('no');
    },
  });
  assert.equal(decodeError(encodeError('text')), 'text');
  assert.equal(decodeError(encodeError(undefined)), undefined);
  assert.ok(decodeError(encodeError(hostile)) instanceof Error);
  assert.ok(decodeError(encodeError(() => 1)) instanceof Error);
  assert.ok(
    decodeError(encodeError(Object.assign(new Error('a'), { port: new Blob(['a']) }))) instanceof Error,
  );
  const pool = decodeError(encodeError(new PoolError('PLIMSOLL_POOL_CLOSED', 'closed')));
  assert.ok(pool instanceof PoolError);
});
