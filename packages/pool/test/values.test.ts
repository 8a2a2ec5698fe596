import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { inspect } from 'node:util';
import { Worker } from 'node:worker_threads';
import { type Pool, UncloneableError } from '@plimsoll/pool';
import fc from 'fast-check';
import { assertSameGraph } from './graph.js';
import { fixture, poolFor } from './support.js';

/**
 * Random values as arguments, as results and thrown, beside what a bare worker makes of them by structured clone: the same
 * value, or a rejection of that task alone. A failure prints the seed and the smallest recipe.
 */
type Recipe = readonly unknown[];

interface Recipes {
  readonly AROUND: readonly string[];
  readonly FAILURE: string;
  readonly REFUSED: readonly string[];
  readonly SPECIAL: readonly string[];
  kindOfCopy(kind: string): string;
  build(recipe: Recipe): unknown;
  nest(kind: string, depth: number, value: unknown): unknown;
}
const { AROUND, build, FAILURE, kindOfCopy, nest, REFUSED, SPECIAL }: Recipes = await import(
  fixture('recipes.mjs').href
);

type Deep = readonly ['deep', kind: string, depth: number, inner: Recipe];

/** What a host with the usual stack can read, whatever the nesting consists of. */
const SURELY_READABLE = 1000;
const runs = Number(process.env.PLIMSOLL_RUNS ?? 1);
const LIMIT = { timeout: 600_000 };

const key = fc.constantFrom('a', 'b', 'c', '__proto__', 'constructor', 'toString', '0', '-1', '');
const number = fc.oneof(fc.double(), fc.constantFrom(-0, Number.NaN, 2 ** 31, -(2 ** 26) - 1));
const text = fc.oneof(
  fc.string({ unit: fc.nat(0xffff).map((unit) => String.fromCharCode(unit)), maxLength: 40 }),
  fc.constantFrom('a', 'é', '\ud800', 'a text of more than twenty-four characters'),
);

const leaf: fc.Arbitrary<Recipe> = fc.oneof(
  fc.tuple(fc.constant('plain'), fc.constantFrom(null, undefined, true, false)),
  fc.tuple(
    fc.constant('number'),
    number.map((value) => (Object.is(value, -0) ? '-0' : String(value))),
  ),
  fc.tuple(fc.constant('bigint'), fc.bigInt(-(2n ** 130n), 2n ** 130n).map(String)),
  fc.tuple(fc.constant('text'), text, fc.constantFrom(1, 1, 1, 30, 3000)),
  fc.tuple(fc.constant('special'), fc.constantFrom(...SPECIAL)),
  fc.tuple(fc.constant('again'), fc.nat(100)),
);
const objectOfItsOwn: fc.Arbitrary<Recipe> = fc.oneof(
  fc.tuple(fc.constant('date'), fc.constantFrom('NaN', '0', '-1', '8.64e15')),
  fc.tuple(fc.constant('regexp'), fc.nat(3)),
  fc.tuple(fc.constant('boxed'), fc.constantFrom(1, 'text', true)),
  fc.tuple(fc.constant('bigintObject'), fc.constant('5')),
  fc.tuple(fc.constant('dataView'), fc.nat(8), fc.nat(8)),
  fc.tuple(fc.constant('buffer'), fc.constantFrom(0, 1, 300, 70_000)),
  fc.tuple(
    fc.constant('error'),
    fc.constantFrom('Error', 'TypeError', 'RangeError'),
    text,
    fc.constantFrom(null, ['number', '1']),
  ),
  fc.tuple(fc.constant('map'), fc.constant([])),
  fc.tuple(fc.constant('set'), fc.constant([])),
);
const bytes = fc.tuple(fc.constant('bytes'), fc.nat(11), fc.nat(16), fc.nat(10), fc.boolean());

/** Of what cannot be cloned, a little: most values shall come through. */
const troublesAt = (weight: number): fc.Arbitrary<Recipe> =>
  fc.letrec<{ value: Recipe }>((tie) => {
    const value = tie('value');
    const pairs = fc.array(fc.tuple(key, value), { maxLength: 4 });
    const items = fc.array(value, { maxLength: 4 });
    return {
      value: fc.oneof(
        { depthSize: 'small', withCrossShrink: true },
        { arbitrary: leaf, weight: 8 },
        { arbitrary: objectOfItsOwn, weight: 4 },
        { arbitrary: bytes, weight: 2 },
        { arbitrary: fc.tuple(fc.constant('refused'), fc.constantFrom(...REFUSED)), weight },
        { arbitrary: fc.tuple(fc.constant('throwing'), key, pairs), weight },
        { arbitrary: fc.tuple(fc.constantFrom('object', 'bare', 'point', 'hidden'), pairs), weight: 8 },
        { arbitrary: fc.tuple(fc.constantFrom('array', 'set'), items), weight: 6 },
        {
          arbitrary: fc.tuple(fc.constant('map'), fc.array(fc.tuple(value, value), { maxLength: 4 })),
          weight: 3,
        },
        {
          arbitrary: fc.tuple(
            fc.constant('sparse'),
            fc.integer({ min: 1, max: 3000 }),
            fc.array(fc.tuple(fc.nat(3000), value), { maxLength: 4 }),
          ),
          weight: 2,
        },
        { arbitrary: fc.tuple(fc.constant('extra'), items, pairs), weight: 2 },
        { arbitrary: fc.tuple(fc.constant('getter'), key, value, pairs), weight: 2 },
        { arbitrary: fc.tuple(fc.constant('prototype'), fc.nat(5), objectOfItsOwn, pairs), weight: 3 },
        { arbitrary: fc.tuple(fc.constant('frozen'), fc.tuple(fc.constant('object'), pairs)), weight: 1 },
        { arbitrary: fc.tuple(fc.constant('wide'), fc.constantFrom(100, 1000, 3000), leaf), weight: 1 },
      ),
    };
  }).value;

const depth = fc.oneof(
  fc.integer({ min: 1, max: SURELY_READABLE }),
  fc.integer({ min: 1, max: 50_000 }),
  fc.constantFrom(199, 200, 201, 6000, 8000, 10_000),
);
const recipes: fc.Arbitrary<Recipe> = fc.oneof(
  { arbitrary: troublesAt(0), weight: 6 },
  { arbitrary: troublesAt(2), weight: 2 },
  { arbitrary: fc.tuple(fc.constant('deep'), fc.constantFrom(...AROUND), depth, troublesAt(0)), weight: 2 },
);

const isDeep = (recipe: Recipe): recipe is Deep => recipe[0] === 'deep';
const isShallow = (recipe: Recipe): boolean => !isDeep(recipe) || recipe[2] <= SURELY_READABLE;

/** The causes of the first thousand errors are carried. */
const isLongChain = (recipe: Recipe): boolean => isDeep(recipe) && recipe[1] === 'cause' && recipe[2] > 990;

type Outcome = { value: unknown } | { error: unknown };

const outcomeOf = (run: Promise<unknown>): Promise<Outcome> =>
  run.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );

/** A worker that sends back what it is sent. */
class Oracle {
  private readonly worker = new Worker(
    `const { parentPort } = require('node:worker_threads');
     parentPort.on('message', (value) => parentPort.postMessage(value));`,
    { eval: true },
  );

  /** @throws what structured clone throws */
  copy(value: unknown): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.worker.removeAllListeners();
      this.worker.once('message', resolve);
      for (const event of ['messageerror', 'error']) this.worker.once(event, reject);
      this.worker.postMessage(value);
    });
  }

  stop(): Promise<number> {
    return this.worker.terminate();
  }
}

/** What arrives when the value is copied there and back, or why it does not. */
async function expectedOf(recipe: Recipe, oracle: Oracle): Promise<Outcome> {
  if (!isDeep(recipe)) return outcomeOf(oracle.copy(build(recipe)));
  const [, kind, levels, inner] = recipe;
  const copy = await outcomeOf(oracle.copy(build(inner)));
  return 'value' in copy ? { value: nest(kindOfCopy(kind), levels, copy.value) } : copy;
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : inspect(error));

/** A rejection must be one that says that the value cannot be copied, or what a getter of it has thrown. */
function assertRejectsRightly(error: unknown, expected: Outcome, recipe: Recipe): void {
  const isOfGetter = 'error' in expected && messageOf(expected.error) === FAILURE;
  if (isOfGetter) {
    assert.equal(messageOf(error), FAILURE);
  } else if ('error' in expected) {
    assert.ok(error instanceof UncloneableError, inspect(error));
  } else {
    assert.ok(!isShallow(recipe), `rejected: ${inspect(error)}`);
    const isOfStack = /call stack/.test(messageOf(error));
    assert.ok(isOfStack || error instanceof UncloneableError, inspect(error));
  }
}

/** A Set without its prototype: structured clone does not see what is on it, such as a port that cannot be copied. */
const FOUND: [Recipe][] = [
  [['prototype', 0, ['set', []], [['a', ['object', [['a', ['refused', 'port']]]]]]]],
];

/** The pool gives the same as a fresh worker, and goes on as if nothing had been. */
async function compare(
  context: TestContext,
  run: (pool: Pool, recipe: Recipe) => Promise<unknown>,
  judge: (outcome: Outcome, expected: Outcome, recipe: Recipe) => void,
): Promise<void> {
  const pool = poolFor(context, { filename: fixture('values.mjs'), concurrentTasksPerWorker: 2 });
  const oracle = new Oracle();
  context.after(() => oracle.stop());
  const sample = { list: [1, 'two', new Map([[3, { four: new Uint8Array(5) }]])] };
  const threads = pool.threads.map((thread) => thread.threadId);
  await fc.assert(
    fc.asyncProperty(recipes, async (recipe) => {
      const expected = await expectedOf(recipe, oracle);
      const [outcome, after, sum] = await Promise.all([
        outcomeOf(run(pool, recipe)),
        pool.run(sample, { name: 'echo' }),
        pool.run({ a: 1, b: 2 }, { name: 'add' }),
      ]);
      judge(outcome, expected, recipe);
      assertSameGraph(after, sample);
      assert.equal(sum, 3);
    }),
    { examples: FOUND, numRuns: 120 * runs, interruptAfterTimeLimit: 5000 * runs },
  );
  assert.deepEqual(
    pool.threads.map((thread) => thread.threadId),
    threads,
    'a worker has died',
  );
}

test('any argument arrives as in a bare worker, or rejects its task alone', LIMIT, async (t) => {
  await compare(
    t,
    // The worker compares it: coming back might fail for reasons of its own.
    (pool, recipe) => pool.run([recipe, build(recipe)], { name: 'check' }),
    (outcome, expected, recipe) => {
      if ('error' in outcome) assertRejectsRightly(outcome.error, expected, recipe);
      else assert.equal(outcome.value, 'the same');
    },
  );
});

test('any result arrives as from a bare worker, or rejects its task alone', LIMIT, async (t) => {
  await compare(
    t,
    (pool, recipe) => {
      // A result is awaited: a promise is no result, and these proxies fail when their `then` is read.
      fc.pre(!['promise', 'revoked', 'throwingProxy'].includes(recipe[1] as string));
      return pool.run(recipe, { name: 'make' });
    },
    (outcome, expected, recipe) => {
      if ('error' in outcome) assertRejectsRightly(outcome.error, expected, recipe);
      else if ('error' in expected)
        assert.fail(`arrived, and cannot be copied: ${messageOf(expected.error)}`);
      else assertSameGraph(outcome.value, expected.value);
    },
  );
});

test('whatever is thrown arrives as from a bare worker, or says that it cannot', LIMIT, async (t) => {
  await compare(
    t,
    // Not followed by V8, so that the stack stays that of the worker.
    (pool, recipe) =>
      new Promise((resolve, reject) => {
        pool.run(recipe, { name: 'fail' }).then(
          (value) => resolve(value),
          (error) => reject(error),
        );
      }),
    (outcome, expected, recipe) => {
      assert.ok('error' in outcome, 'not rejected');
      const { error } = outcome;
      const isOther =
        'error' in expected || error instanceof UncloneableError || /call stack/.test(messageOf(error));
      if (isOther) assertRejectsRightly(error, expected, recipe);
      else if (isLongChain(recipe)) assert.ok(error instanceof Error);
      else assertSameGraph(error, expected.value);
    },
  );
});

test('an error arrives whatever it carries, and with it what can be copied', LIMIT, async (t) => {
  await compare(
    t,
    (pool, recipe) => pool.run(recipe, { name: 'failAround' }),
    (outcome, expected, recipe) => {
      const error =
        'error' in outcome ? (outcome.error as Error & { code: string; value: unknown }) : undefined;
      assert.ok(error instanceof TypeError, 'not rejected');
      assert.equal(error.message, 'around');
      assert.equal(error.code, 'E');
      if (isLongChain(recipe)) assert.ok(error.value instanceof Error);
      else if ('value' in error && 'value' in expected) assertSameGraph(error.value, expected.value);
      else assert.equal('value' in error, 'value' in expected && !(isDeep(recipe) && recipe[2] > 490));
    },
  );
});
