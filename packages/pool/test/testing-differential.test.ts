import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Pool, type PoolOptions, type RunOptions, type WorkerError } from '@plimsoll/pool';
import { TestPool } from '@plimsoll/pool/testing';
import fc from 'fast-check';
import { fixture } from './support.js';

/**
 * The same random program on a pool with threads and on one without: every promise must end alike, and in the same order where
 * one is defined.
 */
interface Step {
  readonly value: unknown;
  readonly options?: RunOptions & { readonly moves?: boolean };
  /** When its signal is aborted, if it has one. */
  readonly signal?: 'before' | 'at once' | 'never' | 'while it runs';
}

interface Program {
  readonly options: PoolOptions;
  readonly steps: readonly Step[];
  readonly end: 'close' | 'force' | 'destroy' | 'settle';
}

interface Observed {
  /** Whether each step would wait, as the pool said right after it. */
  readonly waiting: unknown[];
  readonly outcomes: unknown[];
  /** In which order steps were fulfilled, and in which they were rejected. */
  readonly order: readonly number[][];
  readonly afterwards: unknown;
}

const require = createRequire(import.meta.url);
const filename = fileURLToPath(fixture('deadly.cjs'));
const SLOW = 60_000;

/** Each thread has a module of its own. */
function moduleOfEach(): (filename: string, threadId: number) => unknown {
  const modules = new Map<number, unknown>();
  return (_filename, threadId) => {
    delete require.cache[filename];
    if (!modules.has(threadId)) modules.set(threadId, require(filename));
    return modules.get(threadId);
  };
}

/** What these functions do to a worker cannot be done on this thread. */
function simulated(options: PoolOptions): TestPool {
  const pool = new TestPool({ ...options, load: moduleOfEach() });
  const times = Number.POSITIVE_INFINITY;
  pool.inject({ kind: 'exit', exitCode: 3, name: 'exits', times });
  pool.inject({ kind: 'crash', error: new RangeError('crashed'), name: 'crashes', times });
  pool.inject({ kind: 'hang', name: 'sleeps', times });
  return pool;
}

function outcomeOf(run: Promise<unknown>): Promise<unknown> {
  return run.then(
    (value) => ['fulfilled', value],
    (error: unknown) => {
      if (!(error instanceof Error)) return ['rejected', error];
      const {
        name,
        message,
        code,
        exitCode,
        taskName,
        path,
        cause: why,
      } = error as Partial<WorkerError & { path: string }>;
      const cause = why instanceof Error ? `${why.name} ${(why as { code?: string }).code}` : why;
      return ['rejected', { name, message, code, exitCode, taskName, path, cause }];
    },
  );
}

/** What of a program happens in one turn of the event loop has happened before a thread starts, however slowly that turn goes. */
async function observe(
  make: (options: PoolOptions, gate: Int32Array) => Pool,
  { options, steps, end }: Program,
): Promise<Observed> {
  const gate = new Int32Array(new SharedArrayBuffer(4));
  const open = (): void => {
    Atomics.store(gate, 0, 1);
    Atomics.notify(gate, 0);
  };
  const pool = make({ filename, ...options }, gate);
  pool.on('error', () => {});
  const waiting: unknown[] = [];
  const [fulfilled, rejected]: [number[], number[]] = [[], []];
  const later: AbortController[] = [];
  const outcomes = steps.map((step, index) => {
    const controller = new AbortController();
    const { moves, ...given } = step.options ?? {};
    const value = moves ? new ArrayBuffer(index % 2 === 0 ? 64 : 20_000) : step.value;
    if (step.signal === 'before') controller.abort('before');
    const run = pool.run(value, {
      ...given,
      ...(moves && { transferList: [value as ArrayBuffer] }),
      ...(step.signal && { signal: controller.signal }),
    });
    if (step.signal === 'at once') controller.abort('at once');
    if (step.signal === 'while it runs') later.push(controller);
    waiting.push([pool.queueSize, pool.needsDrain, pool.threads.length]);
    run.then(
      () => fulfilled.push(index),
      () => rejected.push(index),
    );
    return outcomeOf(run);
  });
  const ended = end === 'settle' ? Promise.all(outcomes) : endOf(pool, end);
  open();
  if (later.length > 0) await new Promise((resolve) => setTimeout(resolve, 100));
  for (const controller of later) controller.abort('late');
  const all = await Promise.all(outcomes);
  await ended;
  const afterwards = end === 'settle' ? pool.completed : await outcomeOf(pool.run(1));
  await pool.destroy();
  return { waiting, outcomes: all, order: [fulfilled, rejected], afterwards };
}

async function endOf(pool: Pool, how: 'close' | 'force' | 'destroy'): Promise<void> {
  if (how === 'destroy') await pool.destroy();
  else await pool.close({ force: how === 'force' });
}

const HELD = ['--require', fileURLToPath(fixture('held-start.cjs'))];

const both = async (program: Program): Promise<[simulated: Observed, real: Observed]> => [
  await observe(simulated, program),
  await observe((options, gate) => new Pool({ ...options, execArgv: HELD, workerData: { gate } }), program),
];

const json = fc.jsonValue({ maxDepth: 2 });
const named =
  (name: string) =>
  (value: unknown): Step => ({ value, options: { name } });
const plain: fc.Arbitrary<Step> = fc.oneof(
  json.map((value): Step => ({ value })),
  fc.string({ maxLength: 5 }).map(named('fails')),
  fc.constant(named('returnsFunction')(0)),
  fc.constant<Step>({ value: { inner: [() => 1] } }),
  fc.constant<Step>({ value: 0, options: { name: 'sizeOf', moves: true } }),
  fc
    .constantFrom<RunOptions>({ name: 'missing' }, { name: 3 as never }, { timeout: -1 }, { priority: 0.5 })
    .map((options): Step => ({ value: 1, options })),
);
const recorded: fc.Arbitrary<Step> = fc.oneof(plain, fc.integer().map(named('record')));
const deadly: fc.Arbitrary<Step> = fc
  .tuple(
    fc.constantFrom('exits', 'crashes'),
    fc.constantFrom({}, { retry: { max: 1 } }, { retry: { on: ['exit' as const] } }),
  )
  .map(([name, options]): Step => ({ value: 0, options: { name, ...options } }));
const signalled: fc.Arbitrary<Step> = fc
  .tuple(plain, fc.constantFrom('before' as const, 'at once' as const, 'never' as const))
  .map(([step, signal]): Step => ({ ...step, signal }));
const endless: fc.Arbitrary<Step> = fc.constantFrom<Step>(
  { value: SLOW, options: { name: 'sleeps' }, signal: 'while it runs' },
  { value: SLOW, options: { name: 'sleeps', timeout: 40 } },
  { value: SLOW, options: { name: 'sleeps', timeout: 40, grace: 10 } },
);
const ONE: PoolOptions = { minThreads: 1, maxThreads: 1 };

test('on one worker, tasks, failures and deaths end alike and in the same order', async () => {
  const pools = fc.constantFrom<PoolOptions>(
    ONE,
    { ...ONE, retry: { max: 1 } },
    { ...ONE, minThreads: 0, maxQueue: 6 },
  );
  const steps = fc.array(fc.oneof({ arbitrary: recorded, weight: 8 }, { arbitrary: deadly, weight: 1 }), {
    maxLength: 16,
  });
  await fc.assert(
    fc.asyncProperty(steps, pools, async (given, options) => {
      const [one, other] = await both({ options, steps: given, end: 'settle' });
      // A real worker has been sent further tasks when it dies: what runs again may fall in behind another one of them.
      const isRetried =
        options.retry !== undefined || given.some((step) => step.options?.retry !== undefined);
      const order = isRetried ? other.order : one.order;
      assert.deepEqual({ ...one, order }, other);
    }),
    { numRuns: 30 },
  );
});

test('priorities decide alike', async () => {
  const steps = fc.array(
    fc.integer({ min: -1, max: 2 }).map((priority): Step => ({ value: priority, options: { priority } })),
    { maxLength: 12 },
  );
  await fc.assert(
    fc.asyncProperty(steps, async (given) => {
      const [one, other] = await both({ options: ONE, steps: given, end: 'settle' });
      assert.deepEqual(one, other);
    }),
    { numRuns: 10 },
  );
});

test('on several workers, with signals and timeouts, tasks end alike', async () => {
  const steps = fc.array(fc.oneof(plain, signalled, endless), { maxLength: 10 });
  const shape = fc.record({
    threads: fc.integer({ min: 1, max: 3 }),
    concurrentTasksPerWorker: fc.integer({ min: 1, max: 2 }),
    maxQueue: fc.constantFrom(Number.POSITIVE_INFINITY, 1, 4),
  });
  await fc.assert(
    fc.asyncProperty(steps, shape, async (given, { threads, ...others }) => {
      const options = { minThreads: threads, maxThreads: threads, ...others };
      const [one, other] = await both({ options, steps: given, end: 'settle' });
      assert.deepEqual({ ...one, order: [] }, { ...other, order: [] });
    }),
    { numRuns: 30 },
  );
});

test('close, forced close and destroy end what is under way alike', async () => {
  const steps = fc.array(recorded, { maxLength: 10 });
  const ends = fc.constantFrom('close' as const, 'force' as const, 'destroy' as const);
  await fc.assert(
    fc.asyncProperty(steps, ends, async (given, end) => {
      const [one, other] = await both({ options: ONE, steps: given, end });
      assert.deepEqual(one, other);
    }),
    { numRuns: 20 },
  );
});

test('map() gives the same, and ends alike', async () => {
  const items = fc.array(
    fc.oneof({ arbitrary: fc.integer(), weight: 9 }, { arbitrary: fc.constant(undefined), weight: 1 }),
    {
      maxLength: 20,
    },
  );
  const given = async (pool: Pool, values: readonly unknown[], concurrency: number): Promise<unknown> => {
    const got: unknown[] = [];
    const source = values.map((value) => (value === undefined ? { bad: () => 1 } : value));
    const loop = async (): Promise<void> => {
      for await (const value of pool.map(source, { concurrency })) got.push(value);
    };
    const end = await outcomeOf(loop());
    await pool.destroy();
    return { got, end };
  };
  await fc.assert(
    fc.asyncProperty(items, fc.integer({ min: 1, max: 6 }), async (values, concurrency) => {
      const options = { filename, minThreads: 2, maxThreads: 2 };
      assert.deepEqual(
        await given(simulated(options), values, concurrency),
        await given(new Pool(options), values, concurrency),
      );
    }),
    { numRuns: 10 },
  );
});

test('stream() gives the same items, and ends alike', async () => {
  const streams = fileURLToPath(fixture('streams.mjs'));
  const given = async (
    pool: Pool,
    [name, value, most]: readonly [string, number, number],
  ): Promise<unknown> => {
    const items: unknown[] = [];
    const loop = async (): Promise<void> => {
      for await (const item of pool.stream(value, { name, highWaterMark: 1 + (most % 4) })) {
        items.push(item);
        if (items.length === most) break;
      }
    };
    const end = await outcomeOf(loop());
    await pool.destroy();
    return { items, end };
  };
  const calls = fc.tuple(
    fc.constantFrom('count', 'later', 'throws', 'told'),
    fc.integer({ min: 0, max: 6 }),
    fc.integer({ min: 1, max: 8 }),
  );
  await fc.assert(
    fc.asyncProperty(calls, async (call) => {
      const options = { filename: streams, minThreads: 1, maxThreads: 1 };
      assert.deepEqual(await given(new TestPool(options), call), await given(new Pool(options), call));
    }),
    { numRuns: 15 },
  );
});
