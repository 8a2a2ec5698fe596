import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { createFleet, createFleetWorker } from '@plimsoll/bullmq';
import fc from 'fast-check';
import { caught, fixture, LONG, needsRedis, queueName, startRedis } from './support.js';

// Before Redis is stopped, whose hook comes second.
test.after(async () => {
  await fleet.close({ force: true });
  await worker?.close({ force: true });
});
const redis = await startRedis();

/** One fleet and one worker for the whole file, made when the first test needs them. */
const queue = queueName();
const connection = redis.url;
const filename = fixture('tasks.mjs');
const isOn = needsRedis.skip === false;
const worker = isOn
  ? createFleetWorker({ queue, connection, filename, threads: 1, offlineTimeout: LONG })
  : undefined;
const fleet = createFleet({ queue, connection, name: 'echo', offlineTimeout: LONG });

const echo = (value: unknown): Promise<unknown> => fleet.run(value, { name: 'echo' });

function cycle(): object {
  const self: Record<string, unknown> = { name: 'self' };
  self.self = self;
  self.list = [self, new Map([[self, new Set([self])]])];
  return self;
}

const sparse = (): unknown[] => {
  const list: unknown[] = [];
  list[2] = 'two';
  list.length = 5;
  return list;
};

const VALUES: Record<string, () => unknown> = {
  undefined: () => undefined,
  null: () => null,
  'minus zero': () => -0,
  NaN: () => Number.NaN,
  infinities: () => [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY],
  booleans: () => [true, false],
  'a text': () => 'ä € 🦀 \0 \u2028',
  'half of a character': () => '\ud83e',
  'big integers': () => [0n, -1n, 2n ** 200n],
  dates: () => [new Date(0), new Date(8.64e15), new Date(-8.64e15)],
  'regular expressions': () => [/a/giu, /\//],
  'a map': () =>
    new Map<unknown, unknown>([
      ['a', { b: new Map([[1, 2]]) }],
      [Number.NaN, -0],
    ]),
  'a set': () => new Set<unknown>([1, '1', new Set([undefined])]),
  'typed arrays': () => [
    ...[
      new Uint8Array([1, 2]),
      new Uint8ClampedArray([300]),
      new Int16Array([-1]),
      new Float64Array([0.1, -0]),
    ],
    ...[new BigInt64Array([-5n]), new BigUint64Array([2n ** 64n - 1n]), new Float32Array(0)],
  ],
  'part of a buffer': () => new Uint8Array(new Uint8Array([1, 2, 3, 4]).buffer, 1, 2),
  'a view': () => new DataView(new Uint8Array([1, 2, 3]).buffer, 1),
  'a buffer': () => new Uint8Array([5, 6]).buffer,
  'an empty buffer': () => new ArrayBuffer(0),
  cycles: cycle,
  'a sparse array': sparse,
  nested: () => ({ a: [{ b: new Map([['c', [new Set([new Date(1)])]]]) }], u: undefined }),
  'wrapped values': () => [Object(1), Object('s'), Object(true), Object(3n)],
  'the key __proto__': () => JSON.parse('{"__proto__": {"a": 1}, "constructor": 2}') as unknown,
  'a text of 100,000 characters': () => 'x€'.repeat(50_000),
  '100,000 bytes': () => Uint8Array.from({ length: 100_000 }, (_, index) => index % 251),
  'a list of 10,000 objects': () => Array.from({ length: 10_000 }, (_, id) => ({ id, name: `n${id}` })),
};

for (const [name, make] of Object.entries(VALUES)) {
  test(`${name} survives as a task and as a result`, needsRedis, async () => {
    const value = make();
    const result = await echo(value);
    assert.deepStrictEqual(result, structuredClone(value));
    if (typeof value === 'object' && value !== null) assert.notEqual(result, value);
  });
}

test('an invalid date stays one', needsRedis, async () => {
  const date = (await echo(new Date(Number.NaN))) as Date;
  assert.ok(date instanceof Date && Number.isNaN(date.getTime()));
});

test('holes stay holes, and undefined stays a value', needsRedis, async () => {
  const [holes, list] = (await echo([sparse(), [undefined]])) as [unknown[], unknown[]];
  assert.deepEqual([holes.length, 0 in holes, 2 in holes, 0 in list], [5, false, true, true]);
});

test('an object in two places is one object on the other side', needsRedis, async () => {
  const shared = { a: 1 };
  const [one, two] = (await echo([shared, shared])) as [object, object];
  assert.equal(one, two);
});

test('a graph with cycles comes back as the same graph', needsRedis, async () => {
  const self = (await echo(cycle())) as { self: object; list: [object, Map<object, Set<object>>] };
  assert.equal(self.self, self);
  assert.equal(self.list[0], self);
  assert.ok(self.list[1].get(self)?.has(self));
});

test('errors as values keep message, stack and cause', needsRedis, async () => {
  const value = new RangeError('far', { cause: new Error('deep', { cause: { id: 1 } }) });
  const result = (await echo(value)) as RangeError;
  assert.ok(result instanceof RangeError);
  assert.deepEqual([result.message, result.stack], [value.message, value.stack]);
  assert.deepEqual((result.cause as Error).cause, { id: 1 });
});

test('results around the size that goes by a key of its own survive', needsRedis, async () => {
  const sizes = [1, 2000, 2030, 2040, 2044, 2045, 2046, 2047, 2048, 2049, 2050, 2052, 4096];
  const results = await Promise.all(sizes.map((size) => echo(new Uint8Array(size).fill(7))));
  assert.deepStrictEqual(
    results,
    sizes.map((size) => new Uint8Array(size).fill(7)),
  );
});

const PRIMITIVES = [fc.boolean(), fc.double(), fc.integer(), fc.string({ unit: 'binary' })].concat(
  [undefined, null].map((value) => fc.constant(value)) as never,
) as fc.Arbitrary<unknown>[];

test('any value survives as by structuredClone', needsRedis, async () => {
  const anything = fc.anything({
    // Some versions of Node hold invalid dates unequal.
    values: [...PRIMITIVES, fc.date({ noInvalidDate: true })],
    ...{ withBigInt: true, withMap: true, withSet: true, withTypedArray: true },
    ...{ withSparseArray: true, withObjectString: true, withBoxedValues: true, withNullPrototype: true },
    maxDepth: 3,
  });
  await fc.assert(
    fc.asyncProperty(anything, async (value) => {
      const result = await echo(value);
      return isDeepStrictEqual(result, structuredClone(value));
    }),
    { numRuns: 300, interruptAfterTimeLimit: 20_000 },
  );
});

/** What both ways of failing give. */
async function thrown(kind: string): Promise<unknown[]> {
  const ways = ['fail', 'reject'] as const;
  return Promise.all(
    ways.map((name) =>
      fleet.run(kind, { name }).then(
        () => assert.fail('it was fulfilled'),
        (reason: unknown) => reason,
      ),
    ),
  );
}

test('an error of an own class keeps name, code, cause, properties and the stack', needsRedis, async () => {
  for (const reason of await thrown('own')) {
    assert.ok(reason instanceof Error);
    const { name, message, code, order, cause, stack } = reason as Error & Record<string, unknown>;
    assert.deepEqual(
      { name, message, code, order },
      {
        name: 'OrderError',
        message: 'no such order',
        code: 'ERR_ORDER',
        order: { id: 7, items: new Set(['a']) },
      },
    );
    assert.ok(cause instanceof TypeError);
    assert.deepEqual([cause.message, cause.cause], ['not found', 'deep']);
    assert.match(String(stack), /tasks\.mjs/);
  }
});

test('an AggregateError keeps its errors', needsRedis, async () => {
  for (const reason of await thrown('aggregate')) {
    assert.ok(reason instanceof AggregateError);
    assert.equal(reason.message, 'several');
    assert.deepEqual(
      reason.errors.map((error: Error) => [error instanceof RangeError, error.message]),
      [
        [true, 'one'],
        [false, 'two'],
      ],
    );
  }
});

test('a DOMException stays one', needsRedis, async () => {
  for (const reason of await thrown('dom')) {
    const { name, message } = reason as DOMException;
    assert.deepEqual([name, message], ['QuotaExceededError', 'no more']);
    assert.ok(reason instanceof Error);
  }
});

test('what is thrown and is no error arrives as it is', needsRedis, async () => {
  assert.deepEqual(await thrown('text'), ['a text', 'a text']);
});

test('undefined as what is thrown arrives as undefined', needsRedis, async () => {
  assert.deepEqual(await thrown('nothing'), [undefined, undefined]);
});

test('an error with a getter that throws arrives without it', needsRedis, async () => {
  for (const reason of await thrown('getter')) {
    assert.ok(reason instanceof Error);
    assert.equal(reason.message, 'guarded');
  }
});

test(
  'an error whose message cannot be read, and a thrown function, end the task all the same',
  needsRedis,
  async () => {
    for (const kind of ['messageGetter', 'function']) {
      const [one, two] = await thrown(kind);
      assert.ok(one instanceof Error && two instanceof Error, kind);
    }
    assert.equal(await echo(1), 1);
  },
);

test('errors of the pool keep their classes', needsRedis, async () => {
  const { PoolError, UncloneableError, WorkerError } = await import('@plimsoll/pool');
  const uncloneable = await caught(fleet.run('symbol', { name: 'uncloneable' }));
  assert.ok(uncloneable instanceof UncloneableError && uncloneable instanceof PoolError);
  const exited = await caught(fleet.run(1, { name: 'leave' }));
  assert.ok(exited instanceof WorkerError);
});
