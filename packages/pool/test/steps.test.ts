import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { PoolOptions, RunOptions } from '@plimsoll/pool';
import { AbortError, PoolError } from '../dist/errors.js';
import { Core } from '../dist/host/core.js';
import { fillOptions } from '../dist/host/options.js';
import { runWith } from '../dist/host/submit.js';
import { fixture, until } from './support.js';

/**
 * Real threads, stopped or ended at every step of the protocol: right before each write that another thread can see.
 * The preload of the workers does it (fixtures/at-step.cjs); the pool's code has no hook for it.
 */
const EXIT = 0;
const THROW = 1;
const PAUSE = 2;

/** The same words as in the preload. */
const TO_GO = 0;
const ACT = 1;
const REACHED = 2;
const ROUND = 3;

interface Bench {
  readonly core: Core;
  readonly errors: unknown[];
  run(task: unknown, options?: RunOptions): Promise<unknown>;
  /** From now on, do this at that step. */
  arm(step: number, act: number): void;
  /** Steps since `arm`. */
  count(step: number): number;
  readonly reached: boolean;
  release(): void;
  readonly slotsInUse: number;
}

function benchFor(t: TestContext, options: PoolOptions = {}, armed?: [step: number, act: number]): Bench {
  const steps = new Int32Array(new SharedArrayBuffer(16));
  const errors: unknown[] = [];
  const arm = (step: number, act: number): void => {
    Atomics.store(steps, REACHED, 0);
    Atomics.store(steps, ACT, act);
    Atomics.store(steps, TO_GO, step);
  };
  if (armed !== undefined) arm(...armed);
  const filled = fillOptions({
    filename: fixture('tasks.mjs'),
    minThreads: 1,
    maxThreads: 1,
    execArgv: ['--require', fileURLToPath(fixture('at-step.cjs'))],
    workerData: { steps },
    ...options,
  });
  const core = new Core(filled, (event, value) => {
    if (event === 'error') errors.push(value);
  });
  const release = (): void => {
    Atomics.store(steps, TO_GO, 0);
    Atomics.add(steps, ROUND, 1);
    Atomics.notify(steps, ROUND);
  };
  t.after(async () => {
    release();
    await core.destroy();
  });
  return {
    core,
    errors,
    run: (task, own = {}) => runWith(core, task, own),
    arm,
    count: (step) => step - Atomics.load(steps, TO_GO),
    get reached() {
      return Atomics.load(steps, REACHED) === 1;
    },
    release,
    get slotsInUse() {
      return core.slots.inUse;
    },
  };
}

type Judge = (value: unknown, error: unknown) => boolean;
const gives =
  (right: unknown): Judge =>
  (value) =>
    value === right;
const failsWith =
  (code: string): Judge =>
  (_, error) =>
    (error as { code?: string } | undefined)?.code === code;

/** A task of every way in and every way out. */
function everyKind(bench: Bench): [Promise<unknown>, Judge][] {
  const shared = new Int32Array(new SharedArrayBuffer(4));
  const bytes = new Uint8Array(20_000);
  const { signal } = new AbortController();
  const large = 'x'.repeat(10_000);
  return [
    [bench.run({ a: 1, b: 2 }), gives(3)],
    [bench.run(shared, { name: 'count' }), gives(undefined)],
    [bench.run(large, { name: 'echo' }), gives(large)],
    [bench.run(5, { name: 'echoLater' }), gives(5)],
    [bench.run('thrown', { name: 'fail' }), failsWith('E_ODD')],
    [bench.run(0, { name: 'returnFunction' }), failsWith('PLIMSOLL_POOL_UNCLONEABLE')],
    [bench.run({ a: 3, b: 4 }, { signal }), gives(7)],
    [bench.run(bytes, { name: 'size', transferList: [bytes.buffer] }), gives(20_000)],
    [bench.run({ a: 5, b: 6 }), gives(11)],
  ];
}

interface Tally {
  lost: number;
  injected: number;
}

/** Waits for all, and holds each to its own result, to the fault, or to a coded error of the worker's death. */
async function settle(runs: [Promise<unknown>, Judge][], where: string): Promise<Tally> {
  const tally = { lost: 0, injected: 0 };
  const all = Promise.allSettled(runs.map(([run]) => run));
  let settled = false;
  void all.then(() => {
    settled = true;
  });
  await until(() => settled).catch(() => assert.fail(`${where}: a promise never settled`));
  (await all).forEach((outcome, place) => {
    const isRight = (runs[place] as [unknown, Judge])[1];
    const error = outcome.status === 'rejected' ? outcome.reason : undefined;
    if (outcome.status === 'fulfilled' ? isRight(outcome.value, undefined) : isRight(undefined, error))
      return;
    if (error?.message === 'injected') tally.injected++;
    else if (error instanceof PoolError && /_(EXITED|CRASHED|START_FAILED)$/.test(error.code)) tally.lost++;
    else assert.fail(`${where}: task ${place} ended with ${String(error ?? JSON.stringify(outcome))}`);
  });
  return tally;
}

/** Threads of this process, as the kernel counts them. */
const threadCount = (): number => (process.platform === 'linux' ? readdirSync('/proc/self/task').length : 0);

/**
 * Calls `visit` for step 1, 2, 3 …, or for others so far apart, until several in a row were never reached, which means that all are
 * over: how many there are differs a little from time to time. Returns the last that was reached.
 */
async function everyStep(visit: (step: number) => Promise<boolean>, apart = 1, first = 1): Promise<number> {
  let last = 0;
  for (let step = first; step <= last + 3 * apart; step += apart) if (await visit(step)) last = step;
  return last;
}

/** Ends the worker that is held at a step, by the act that the bench was armed with. */
async function endHeld(bench: Bench, act: number): Promise<void> {
  if (act !== PAUSE) return;
  await until(() => bench.reached || bench.core.outstanding === 0);
  if (bench.reached) await bench.core.workers[0]?.thread.terminate();
}

const ACTS = [
  ['exits by itself', EXIT],
  ['throws', THROW],
  ['is terminated', PAUSE],
] as const;

/** Where each step costs a worker, each of the four lines of Node visits every fourth: together they visit all. */
const LINES = [20, 22, 24, 26];
const APART = LINES.length;
const FIRST = 1 + Math.max(0, LINES.indexOf(Number.parseInt(process.versions.node, 10)));

for (const [name, act] of ACTS) {
  test(`a worker that ${name} at every fourth step of its work loses what it ran, and nothing else`, async (t) => {
    const concurrency = 2;
    const bench = benchFor(t, { concurrentTasksPerWorker: concurrency });
    await settle(everyKind(bench), 'warm-up');
    const steps = await everyStep(
      async (step) => {
        await until(() => bench.core.idleThreads === 1);
        bench.arm(step, act);
        const runs = everyKind(bench);
        const [{ lost, injected }] = await Promise.all([settle(runs, `step ${step}`), endHeld(bench, act)]);
        // What it ran, and one whose transferred bytes were on their way to it alone.
        assert.ok(lost <= concurrency + 1, `step ${step}: ${lost} tasks were lost`);
        assert.ok(injected <= 1, `step ${step}: ${injected} tasks got the error of one`);
        assert.equal(bench.slotsInUse, 0, `step ${step}: a slot leaked`);
        const { reached } = bench;
        bench.release();
        assert.equal(await bench.run({ a: step, b: 1 }), step + 1, `step ${step}: the pool does not go on`);
        return reached;
      },
      APART,
      FIRST,
    );
    t.diagnostic(`${steps} steps`);
    assert.ok(steps > 30, `only ${steps} steps were reached`);
  });

  test(`a worker that ${name} at any step of its start is replaced or reported`, async (t) => {
    const steps = await everyStep(async (step) => {
      const bench = benchFor(t, {}, [step, act]);
      const runs = everyKind(bench);
      await Promise.all([settle(runs, `step ${step}`), endHeld(bench, act)]);
      assert.equal(bench.slotsInUse, 0, `step ${step}: a slot leaked`);
      const { reached } = bench;
      bench.release();
      assert.equal(await bench.run({ a: step, b: 1 }), step + 1, `step ${step}: the pool does not go on`);
      await bench.core.destroy();
      return reached && step < 12;
    });
    assert.ok(steps > 4, `only ${steps} steps were reached`);
  });
}

test('a task that is aborted while its worker is at any step costs no other task', async (t) => {
  const bench = benchFor(t, { concurrentTasksPerWorker: 2 });
  await settle(everyKind(bench), 'warm-up');
  const kinds = { killed: 0, finished: 0, removed: 0 };
  const steps = await everyStep(async (step) => {
    await until(() => bench.core.idleThreads === 1);
    const worker = bench.core.workers[0];
    bench.arm(step, PAUSE);
    const controller = new AbortController();
    const before = bench.run({ a: step, b: 0 });
    const aborted = Promise.allSettled([bench.run(5, { name: 'takeSteps', signal: controller.signal })]);
    const others = settle([[before, gives(step)], ...everyKind(bench)], `step ${step}`);
    await until(() => bench.reached || bench.core.outstanding === 0);
    const { reached } = bench;
    controller.abort();
    bench.release();
    assert.deepEqual(await others, { lost: 0, injected: 0 }, `step ${step}: another task was lost`);
    const [outcome] = await aborted;
    if (outcome?.status === 'rejected') assert.ok(outcome.reason instanceof AbortError);
    else assert.equal(outcome?.value, 5);
    if (outcome?.status === 'fulfilled') kinds.finished++;
    else if (bench.core.workers.includes(worker as never)) kinds.removed++;
    else kinds.killed++;
    assert.equal(bench.slotsInUse, 0, `step ${step}: a slot leaked`);
    return reached;
  });
  t.diagnostic(`${steps} steps: ${JSON.stringify(kinds)}`);
  for (const [kind, count] of Object.entries(kinds)) assert.ok(count > 0, `no task was ${kind}`);
});

test('destroy, while a worker is at every fourth step, settles every promise and leaves no thread', async (t) => {
  const threadsBefore = threadCount();
  const steps = await everyStep(
    async (step) => {
      const bench = benchFor(t);
      await settle(everyKind(bench), 'warm-up');
      await until(() => bench.core.idleThreads === 1);
      bench.arm(step, PAUSE);
      const runs = Promise.allSettled(everyKind(bench).map(([run]) => run));
      await until(() => bench.reached || bench.core.outstanding === 0);
      await bench.core.destroy();
      for (const outcome of await runs) {
        if (outcome.status === 'rejected' && outcome.reason.code === 'PLIMSOLL_POOL_CLOSED')
          return bench.reached;
      }
      return bench.reached;
    },
    APART,
    FIRST,
  );
  t.diagnostic(`${steps} steps`);
  await until(() => threadCount() <= threadsBefore);
});

test('workers that are retired, while others end them: every promise settles', async (t) => {
  const bench = benchFor(t, { minThreads: 0, maxThreads: 3, idleTimeout: 1 });
  let gone = 0;
  for (let round = 0; round < 36 || gone === 0; round++) {
    assert.ok(round < 1000, 'workers are gone before anybody ends them');
    const runs = Array.from({ length: 1 + (round % 4) }, (_, index): [Promise<unknown>, Judge] => [
      bench.run({ a: index, b: round }),
      gives(index + round),
    ]);
    await settle(runs, `round ${round}`);
    // Workers are retired after 50 milliseconds or a little more: be there before, at and after it.
    await new Promise((resolve) => setTimeout(resolve, 30 + 5 * (round % 12)));
    const [victim] = bench.core.workers;
    if (round % 2 === 0 && victim !== undefined) void victim.thread.terminate().then(() => gone++);
  }
  await until(() => bench.core.workers.length === 0);
  assert.equal(bench.slotsInUse, 0);
  assert.ok(gone > 0);
});

test('a worker that is held up for long at any step of a task that ends in its sleep is not retired', async (t) => {
  const bench = benchFor(t, { minThreads: 0, idleTimeout: 1, concurrentTasksPerWorker: 2 });
  const steps = await everyStep(async (step) => {
    const gate = new Int32Array(new SharedArrayBuffer(4));
    const run = bench.run(gate, { name: 'sleepUntil' });
    await until(() => bench.core.workers[0]?.running === 1);
    bench.arm(step, PAUSE);
    Atomics.store(gate, 0, 1);
    await until(() => bench.reached || bench.core.outstanding === 0);
    const { reached } = bench;
    // Three times as long as a worker must have been idle.
    if (reached) await new Promise((resolve) => setTimeout(resolve, 150));
    bench.release();
    assert.equal(await run, 'slept', `step ${step}: the task was lost`);
    return reached && step < 8;
  });
  assert.ok(steps > 2, `only ${steps} steps were reached`);
});
