import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import Ours, { type PiscinaTask, type TaskQueue } from '@plimsoll/pool/piscina';
import fc from 'fast-check';
import Theirs from 'piscina';
import { fixture, newGate, until } from './support.js';

/**
 * The same random program on Piscina 5.3.2 and on its interface here: every promise must end alike, and in the same
 * order where one is specified. What Piscina is known to get wrong (docs/guide/migrating-from-piscina.md) is left out of the
 * programs, each at its place and with its reason.
 */
interface Step {
  readonly task: readonly [name: string | undefined, value: unknown];
  /** What `run` is given besides. */
  readonly options?: Record<string, unknown>;
  readonly signal?: 'aborted before' | 'aborted at once' | 'aborted while it runs' | 'never aborted';
}

interface Program {
  readonly threads: number;
  readonly concurrency: number;
  readonly maxQueue: number;
  readonly steps: readonly Step[];
  readonly end: 'close' | 'force' | 'destroy' | 'settle';
}

interface Observed {
  readonly outcomes: string[];
  /** Which steps were fulfilled, in that order. */
  readonly order: number[];
  readonly afterwards: string;
}

const filename = fileURLToPath(fixture('alike.cjs'));

const outcomeOf = (run: Promise<unknown>): Promise<string> =>
  run.then(
    (value) => `fulfilled ${JSON.stringify(value)}`,
    (error: unknown) => {
      if (!(error instanceof Error)) return `rejected ${JSON.stringify(error)}`;
      // The pool's own errors have a name of their own here, and codes; what a task threw has its own on both sides.
      const name = ['PoolError', 'WorkerError'].includes(error.name) ? 'Error' : error.name;
      // Here the error says as well which task ran where.
      const [message] = error.message.split(/ (?:while it ran|exported from) /);
      return `rejected ${name}: ${message} ${String(error.cause)}`;
    },
  );

async function observe(Pool: typeof Ours, program: Program): Promise<Observed> {
  // No worker is ready before close({ force }) has rejected what none takes, however long that takes to be called.
  const gate = newGate();
  if (program.end !== 'force') gate.open();
  const pool = new Pool({
    filename,
    workerData: gate.words,
    minThreads: program.threads,
    maxThreads: program.threads,
    maxQueue: program.maxQueue,
    concurrentTasksPerWorker: program.concurrency,
    // Without it, Piscina puts a task to the end of the queue now and then.
    stricterFIFO: true,
    // Its idle workers would block in Atomics.wait, and Node 24 has failed to end one that was just about to.
    atomics: 'disabled',
  });
  pool.on('error', () => {});
  const order: number[] = [];
  const later: AbortController[] = [];
  let settled = 0;
  const outcomes = program.steps.map(({ task: [name, value], options, signal }, index) => {
    const controller = new AbortController();
    if (signal === 'aborted before') controller.abort('before');
    const own = { ...(name && { name }), ...options, ...(signal && { signal: controller.signal }) };
    const run = pool.run(value, own as never);
    if (signal === 'aborted at once') controller.abort('at once');
    if (signal === 'aborted while it runs') later.push(controller);
    run.then(
      () => order.push(index),
      () => {},
    );
    return outcomeOf(run).finally(() => settled++);
  });
  // A task with a signal has a worker to itself, so those to be killed have all workers, or nothing else is under way.
  const killed = Math.min(later.length, program.threads);
  const others = program.steps.length - later.length;
  if (killed > 0)
    await until(() => {
      const running = Atomics.load(gate.words, 1);
      return running === killed && (running === program.threads || settled === others);
    });
  for (const controller of later) controller.abort('late');
  const ended = program.end === 'settle' ? Promise.all(outcomes) : end(pool, program.end);
  gate.open();
  const afterwards = program.end === 'close' ? await outcomeOf(pool.run({ a: 1, b: 1 })) : '';
  const all = await Promise.all(outcomes);
  await ended;
  await pool.destroy();
  return { outcomes: all, order, afterwards };
}

async function end(pool: Ours, how: 'close' | 'force' | 'destroy'): Promise<void> {
  if (how === 'destroy') await pool.destroy();
  else await pool.close({ force: how === 'force' });
}

const number = fc.integer({ min: -5, max: 5 });
/** What the tasks before it have left in the same worker. */
const record = number.map((value) => ['record', value] as const);
const task = fc.oneof(
  fc.record({ a: number, b: number }).map((value) => [undefined, value] as const),
  fc.jsonValue({ maxDepth: 2 }).map((value) => ['echo', value] as const),
  fc.jsonValue({ maxDepth: 2 }).map((value) => ['echoLater', value] as const),
  fc.string({ maxLength: 5 }).map((message) => ['failPlainly', message] as const),
  fc.string({ maxLength: 5 }).map((message) => ['failPlainlyLater', message] as const),
  // Not null: Piscina fulfils a task that throws it.
  fc.constantFrom('text', 0, { code: 1 }).map((value) => ['failOddly', value] as const),
);
const plain: fc.Arbitrary<Step> = task.map((given) => ({ task: given }));
const onOneWorker: fc.Arbitrary<Step> = fc.oneof(
  plain,
  record.map((given) => ({ task: given })),
);
const badly: fc.Arbitrary<Step> = fc
  .constantFrom({ name: 1 }, { transferList: 1 }, { signal: 1 }, { filename: 1 }, { name: 'noSuchFunction' })
  .map((options) => ({ task: [undefined, { a: 1, b: 1 }], options }));
const quickSignal: fc.Arbitrary<Step> = fc
  .tuple(
    task,
    fc.constantFrom('aborted before' as const, 'aborted at once' as const, 'never aborted' as const),
  )
  .map(([given, signal]) => ({ task: given, signal }));
const killed: fc.Arbitrary<Step> = fc.constant({
  task: ['sleep', 60_000],
  signal: 'aborted while it runs',
});

function sameOutcomes(ours: Observed, theirs: Observed): void {
  assert.deepEqual(ours.outcomes, theirs.outcomes);
  assert.equal(ours.afterwards, theirs.afterwards);
}

async function compare(program: Program): Promise<[ours: Observed, theirs: Observed]> {
  return [await observe(Ours, program), await observe(Theirs as never, program)];
}

test('tasks, failures and bad options end alike, on one worker in the same order', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.oneof(onOneWorker, badly), { maxLength: 30 }), async (steps) => {
      const program = { threads: 1, concurrency: 1, maxQueue: Number.POSITIVE_INFINITY, steps };
      const [ours, theirs] = await compare({ ...program, end: 'settle' });
      sameOutcomes(ours, theirs);
      assert.deepEqual(ours.order, theirs.order);
    }),
    { numRuns: 15 },
  );
});

test('aborted tasks end alike, whenever they are aborted', async () => {
  // In which order is not compared: a task with a signal may overtake others in Piscina.
  const steps = fc.array(fc.oneof(plain, quickSignal, killed), { maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(
      steps,
      fc.integer({ min: 1, max: 2 }),
      fc.integer({ min: 1, max: 3 }),
      async (...given) => {
        const [programSteps, threads, concurrency] = given;
        const program = { threads, concurrency, maxQueue: Number.POSITIVE_INFINITY, steps: programSteps };
        sameOutcomes(...(await compare({ ...program, end: 'settle' })));
      },
    ),
    { numRuns: 15 },
  );
});

test('a full queue refuses the same tasks', async () => {
  // No signals: Piscina lets tasks with a signal into a full queue.
  const steps = fc.array(plain, { minLength: 1, maxLength: 20 });
  const shape = fc.record({
    threads: fc.integer({ min: 1, max: 2 }),
    concurrency: fc.integer({ min: 1, max: 2 }),
    maxQueue: fc.integer({ min: 0, max: 4 }),
  });
  await fc.assert(
    fc.asyncProperty(steps, shape, async (given, { threads, concurrency, maxQueue }) => {
      sameOutcomes(...(await compare({ threads, concurrency, maxQueue, steps: given, end: 'settle' })));
    }),
    { numRuns: 15 },
  );
});

test('close, forced close and destroy end what is under way alike', async () => {
  // One worker: Piscina's close() kills workers that have a task when there are several.
  const steps = fc.array(onOneWorker, { maxLength: 12 });
  const end = fc.constantFrom('close' as const, 'force' as const, 'destroy' as const);
  await fc.assert(
    fc.asyncProperty(steps, end, async (given, how) => {
      const program = { threads: 1, concurrency: 1, maxQueue: Number.POSITIVE_INFINITY, steps: given };
      sameOutcomes(...(await compare({ ...program, end: how })));
    }),
    { numRuns: 15 },
  );
});

/** Highest priority first, first in first out among equals. */
class PriorityQueue implements TaskQueue {
  private readonly tasks: PiscinaTask[] = [];

  get size(): number {
    return this.tasks.length;
  }

  push(task: PiscinaTask): void {
    const after = this.tasks.findIndex((other) => priorityOf(other) < priorityOf(task));
    this.tasks.splice(after === -1 ? this.tasks.length : after, 0, task);
  }

  unshift(task: PiscinaTask): void {
    this.tasks.unshift(task);
  }

  shift(): PiscinaTask | null {
    return this.tasks.shift() ?? null;
  }

  remove(task: PiscinaTask): void {
    this.tasks.splice(this.tasks.indexOf(task), 1);
  }
}

const priorityOf = (task: PiscinaTask): number =>
  (task[Ours.queueOptionsSymbol as never] as { priority: number } | null)?.priority ?? 0;

async function orderBy(Pool: typeof Ours, priorities: readonly number[]): Promise<unknown> {
  const pool = new Pool({
    filename,
    minThreads: 1,
    maxThreads: 1,
    taskQueue: new PriorityQueue(),
    stricterFIFO: true,
    atomics: 'disabled',
  });
  await pool.run(0, { name: 'recorded' });
  const running = pool.run(20, { name: 'block' });
  const queued = priorities.map((priority, index) =>
    pool.run({ index, [Ours.queueOptionsSymbol]: { priority } }, { name: 'record' }),
  );
  await Promise.all([running, ...queued]);
  const order = await pool.run(0, { name: 'recorded' });
  await pool.destroy();
  return order;
}

test('a custom queue with priorities runs tasks in the same order', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.integer({ min: 0, max: 3 }), { maxLength: 12 }), async (priorities) => {
      assert.deepEqual(await orderBy(Ours, priorities), await orderBy(Theirs as never, priorities));
    }),
    { numRuns: 15 },
  );
});
