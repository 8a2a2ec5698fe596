import assert from 'node:assert/strict';
import { test } from 'node:test';
import { UncloneableError } from '@plimsoll/pool';
import { carry, carryLess, restore } from '../dist/shared/error-record.js';
import { fixture, poolFor } from './support.js';

const LIMIT = { timeout: 120_000 };

type Odd = Error & Record<string, unknown>;
interface Case {
  readonly size?: number;
  check(error: Odd): void;
}

const isOdd = (Class: new (message: string) => Error, message = 'odd') => ({
  check(error: Odd): void {
    assert.ok(error instanceof Class, String(error));
    assert.equal(error.message, message);
  },
});
/** As the one before, and a property that can be carried. */
const hasCode = (Class: new (message: string) => Error, others: readonly string[] = []) => ({
  check(error: Odd): void {
    isOdd(Class).check(error);
    assert.equal(error.code, 'E');
    for (const name of others) assert.ok(!(name in error), name);
  },
});
const isUncloneable = (path: string, what: RegExp) => ({
  check(error: Odd): void {
    assert.ok(error instanceof UncloneableError, String(error));
    assert.equal(error.path, path);
    assert.match(error.message, what);
  },
});
const staysBehind = (property: string) => ({
  check(error: Odd): void {
    isOdd(TypeError, 'deep').check(error);
    assert.ok(!(property in error));
  },
});

const cases: Record<string, Case | Case[]> = {
  deepProperty: [
    { size: 100, check: (error) => assert.ok(Array.isArray(error.deep)) },
    ...[1000, 3000, 8000, 50_000].map((size) => ({ size, ...staysBehind('deep') })),
  ],
  deepCause: [3000, 8000, 50_000].map((size) => ({ size, ...staysBehind('cause') })),
  nameThrows: isOdd(TypeError),
  messageThrows: isOdd(TypeError, ''),
  stackThrows: isOdd(TypeError),
  constructorThrows: isOdd(TypeError),
  causeThrows: isOdd(TypeError),
  errorsThrow: isOdd(AggregateError),
  propertyThrows: hasCode(TypeError, ['broken']),
  allThrow: isOdd(TypeError, ''),
  oddTexts: isOdd(TypeError, '42'),
  codeWithoutText: {
    check(error) {
      isOdd(TypeError).check(error);
      assert.deepEqual(error.code, { toString: 1, valueOf: 1 });
    },
  },
  sparse: {
    check(error) {
      hasCode(TypeError).check(error);
      assert.equal((error.list as unknown[]).length, 2 ** 32 - 1);
    },
  },
  bareList: {
    check(error) {
      hasCode(TypeError).check(error);
      const [one, two] = error.list as [Odd, number];
      assert.equal(one.code, 'E_CODED');
      assert.equal(two, 2);
    },
  },
  oddLists: {
    check(error) {
      hasCode(TypeError).check(error);
      assert.deepEqual(error.list, Object.assign([1], { some: 1 }));
    },
  },
  objectAsMessage: hasCode(TypeError),
  frozen: hasCode(TypeError),
  nullPrototype: hasCode(Error),
  plainPrototype: hasCode(Error),
  proxyPrototype: hasCode(Error),
  endlessPrototype: hasCode(Error),
  notNative: hasCode(RangeError),
  otherRealm: {
    check(error) {
      hasCode(RangeError).check(error);
      assert.deepEqual(error.list, [new Map([[1, 2]])]);
    },
  },
  domException: {
    check(error) {
      isOdd(DOMException as never).check(error);
      assert.equal(error.name, 'AbortError');
    },
  },
  uncloneableProperties: hasCode(TypeError, ['promise', 'port', 'symbol', 'proxy']),
  ownCause: { check: (error) => assert.equal(error.cause, error) },
  circle: {
    check(error) {
      isOdd(AggregateError as never).check(error);
      const errors = error.errors as Odd[];
      assert.equal(errors.length, 23);
      for (const same of errors.slice(0, 20)) assert.equal(same, error);
      const other = errors[20] as Odd;
      assert.equal(other.constructor.name, 'Coded');
      assert.equal(other.code, 'E_CODED');
      assert.equal(other.cause, error);
      assert.equal(errors[21], 'text');
      assert.equal(errors[22], other);
      assert.equal((error.list as unknown[])[0], error);
    },
  },
  subclass: {
    check(error) {
      hasCode(AggregateError as never).check(error);
      assert.equal(error.constructor.name, 'Several');
      assert.equal((error.errors as Odd[])[0]?.code, 'E_CODED');
    },
  },
  chain: {
    size: 2000,
    check(error) {
      let length = 1;
      let last = error;
      for (; last.cause instanceof TypeError; last = last.cause as Odd) length++;
      // Those of the first thousand errors are carried.
      assert.equal(length, 1001);
      isOdd(TypeError).check(last);
    },
  },
  wide: {
    size: 1500,
    check: (error) => assert.equal((error.errors as Odd[])[1499]?.message, '1499'),
  },
  proxy: isUncloneable('the thrown value', /it is a Proxy/),
  throwingProxy: isUncloneable('the thrown value', /it is a Proxy/),
  revokedProxy: isUncloneable('the thrown value', /it is a Proxy/),
  function: isUncloneable('the thrown value', /it is a function/),
  symbol: isUncloneable('the thrown value', /it is a symbol/),
  promise: isUncloneable('the thrown value', /class WeakMap/),
  throwsError: isOdd(RangeError, 'from a getter'),
  throwsProxy: isUncloneable('the thrown value', /reading it throws/),
  deepValue: { size: 8000, check: (error) => assert.ok(error instanceof UncloneableError) },
};

for (const later of [false, true]) {
  test(
    `whatever a task throws ${later ? 'later' : 'at once'} rejects it, and costs nothing else`,
    LIMIT,
    async (t) => {
      const pool = poolFor(t, { filename: fixture('thrown.mjs') });
      const threads = pool.threads.map((thread) => thread.threadId);
      for (const [name, oneOrMore] of Object.entries(cases)) {
        for (const { size, check } of [oneOrMore].flat()) {
          const [outcome, after] = await Promise.allSettled([
            pool.run({ name, size, later }),
            pool.run(0, { name: 'ping' }),
          ]);
          assert.equal(outcome.status, 'rejected');
          try {
            check(outcome.status === 'rejected' ? outcome.reason : undefined);
          } catch (cause) {
            throw new Error(`${name} ${size ?? ''}: ${(cause as Error).message}`, { cause });
          }
          assert.deepEqual(after, { status: 'fulfilled', value: 'fine' });
        }
      }
      assert.deepEqual(
        pool.threads.map((thread) => thread.threadId),
        threads,
        'a worker has died',
      );
    },
  );
}

test('an error that cannot be written whole keeps its name and its code', () => {
  const error = new UncloneableError('result', 'it is a function', { cause: new Error('the cause') });
  const restored = restore(carryLess(carry(error), new Error('no room'))) as Error & { code: string };
  assert.equal(restored.name, 'UncloneableError');
  assert.equal(restored.message, error.message);
  assert.equal(restored.code, 'PLIMSOLL_POOL_UNCLONEABLE');
  assert.equal(restored.cause, undefined);
  const large = Object.assign(new Error('odd'), { code: 'x'.repeat(5000) });
  const shortened = restore(carryLess(carry(large), new Error('no room'))) as Error;
  assert.equal(Object.hasOwn(shortened, 'code'), false);
});
