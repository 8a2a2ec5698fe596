import assert from 'node:assert/strict';
import { resolve } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { AbortError, Pool, PoolError, TimeoutError, UncloneableError, WorkerError } from '@plimsoll/pool';
import { caught, fixture, newGate, poolFor, until } from './support.js';

test('an error keeps class, name, message, stack, code, cause and own properties', async (t) => {
  const pool = poolFor(t);
  const error = await caught(pool.run('what happened', { name: 'fail' }));
  assert.ok(error instanceof TypeError);
  assert.ok(!(error instanceof PoolError));
  assert.equal(error.constructor.name, 'OddError');
  assert.equal(error.name, 'OddError');
  assert.equal(error.message, 'what happened');
  assert.match(error.stack ?? '', /tasks\.mjs/);
  assert.equal(error.code, 'E_ODD');
  assert.deepEqual(error.details, { list: [1, 2], when: new Date(0) });
  assert.ok(error.cause instanceof RangeError);
  assert.equal(error.cause.cause, 'deeper');
  const later = await caught(pool.run('later', { name: 'failLater' }));
  assert.equal(later.code, 'E_ODD');
  const many = await caught(pool.run(0, { name: 'failMany' }));
  assert.ok(many instanceof AggregateError);
  assert.ok(many.errors[0] instanceof TypeError);
  assert.ok(many.errors[1] instanceof RangeError);
  const aborted = await caught(pool.run(0, { name: 'failAbort' }));
  assert.ok(aborted instanceof DOMException);
  assert.equal(aborted.name, 'AbortError');
  const carrying = await caught(pool.run(0, { name: 'failWithFunction' }));
  assert.equal(carrying.fine, 1);
  assert.equal(carrying.fn, undefined);
});

test('anything may be thrown', async (t) => {
  const pool = poolFor(t);
  for (const value of ['text', 0, null, undefined, { code: 1 }, [1]]) {
    const failure = pool.run(value, { name: 'failOddly' });
    assert.deepEqual(
      await failure.then(
        () => 'fulfilled',
        (error) => ({ error }),
      ),
      { error: value },
    );
  }
});

test('a result that cannot be cloned fails its task alone, and is named by its path', async (t) => {
  const pool = poolFor(t);
  const before = await pool.run(0, { name: 'thread' });
  const error = await caught(pool.run(0, { name: 'returnFunction' }));
  assert.ok(error instanceof UncloneableError);
  assert.ok(error instanceof PoolError);
  assert.equal(error.path, 'result.deep[0].callback');
  assert.equal(await pool.run(0, { name: 'thread' }), before, 'the worker was replaced');
});

test('a task that cannot be cloned is named by its path, at once or from the queue', async (t) => {
  const pool = poolFor(t);
  const socket = { user: { socket: () => 1 } };
  const blocked = pool.run(50, { name: 'block' });
  const error = await caught(pool.run(socket, { name: 'echo' }));
  assert.equal(error.code, 'PLIMSOLL_POOL_UNCLONEABLE');
  assert.equal(error.path, 'task.user.socket');
  await blocked;
  assert.equal((await caught(pool.run(socket, { name: 'echo' }))).path, 'task.user.socket');
  assert.equal(await pool.run({ a: 1, b: 1 }), 2);
});

test('process.exit in a task rejects that task with its exit code, and nothing else', async (t) => {
  const pool = poolFor(t);
  const [exited, next] = await Promise.allSettled([pool.run(9, { name: 'exit' }), pool.run({ a: 1, b: 1 })]);
  assert.equal(exited.status, 'rejected');
  const error = exited.status === 'rejected' ? exited.reason : undefined;
  assert.ok(error instanceof WorkerError);
  assert.equal(error.code, 'PLIMSOLL_POOL_WORKER_EXITED');
  assert.equal(error.exitCode, 9);
  assert.equal(error.taskName, 'exit');
  assert.equal(typeof error.threadId, 'number');
  assert.deepEqual(next, { status: 'fulfilled', value: 2 });
});

test('an uncaught error rejects the task that ran, with the error as cause', async (t) => {
  const pool = poolFor(t);
  const [crashed, next] = await Promise.allSettled([
    pool.run(0, { name: 'crash' }),
    pool.run({ a: 1, b: 1 }),
  ]);
  const error = crashed.status === 'rejected' ? crashed.reason : undefined;
  assert.equal(error.code, 'PLIMSOLL_POOL_WORKER_CRASHED');
  assert.ok(error.cause instanceof RangeError);
  assert.equal(next.status, 'fulfilled');
});

test('a worker that crashes while idle is replaced, and the pool says so', async (t) => {
  const pool = poolFor(t);
  const errors: Error[] = [];
  pool.on('error', (error: Error) => errors.push(error));
  assert.equal(await pool.run(20, { name: 'crashIdle' }), 'about to crash');
  await until(() => errors.length === 1);
  assert.match(errors[0]?.message ?? '', /while idle/);
  assert.equal(await pool.run({ a: 1, b: 1 }), 2);
  assert.equal(pool.threads.length, 1);
});

// Node 24 ends the whole process at 96 MB, when nothing limits the young generation.
for (const maxOldGenerationSizeMb of [16, 96]) {
  test(`a task that fills its heap of ${maxOldGenerationSizeMb} MB is rejected as out of memory`, async (t) => {
    const pool = poolFor(t, { resourceLimits: { maxOldGenerationSizeMb } });
    const error = await caught(pool.run(0, { name: 'fillHeap' }));
    assert.equal(error.code, 'PLIMSOLL_POOL_OUT_OF_MEMORY');
    assert.equal(await pool.run({ a: 1, b: 1 }), 2);
  });
}

test('a task that blocks for ever ends when it is aborted or times out', async (t) => {
  const pool = poolFor(t);
  const started = new Int32Array(new SharedArrayBuffer(4));
  const controller = new AbortController();
  const blocked = pool.run(started, { name: 'blockForever', signal: controller.signal });
  const waiting = pool.run({ a: 1, b: 1 });
  await until(() => Atomics.load(started, 0) === 1);
  controller.abort('enough');
  const error = await caught(blocked);
  assert.ok(error instanceof AbortError);
  assert.equal(error.name, 'AbortError');
  assert.equal(error.cause, 'enough');
  assert.equal(await waiting, 2);
  const late = await caught(pool.run(undefined, { name: 'blockForever', timeout: 50 }));
  assert.ok(late instanceof TimeoutError);
  assert.equal(late.code, 'PLIMSOLL_POOL_TIMEOUT');
  assert.equal(await pool.run({ a: 2, b: 2 }), 4);
});

test('aborting a task that waits removes it, and its worker lives', async (t) => {
  const pool = poolFor(t, { maxQueue: 1 });
  const thread = await pool.run(0, { name: 'thread' });
  const gate = newGate();
  const held = pool.run(gate.words, { name: 'hold' });
  const controller = new AbortController();
  const waiting = pool.run({ a: 1, b: 1 }, { signal: controller.signal });
  assert.equal(pool.queueSize, 1);
  controller.abort();
  assert.ok((await caught(waiting)) instanceof AbortError);
  assert.equal(pool.queueSize, 0);
  gate.open();
  assert.equal(await held, thread);
  const already = await caught(pool.run(0, { signal: AbortSignal.abort('before') }));
  assert.equal(already.cause, 'before');
});

test('a missing file rejects every task with the true reason', async (t) => {
  const pool = poolFor(t, { filename: fixture('missing.mjs') });
  const results = await Promise.allSettled([1, 2, 3, 4, 5].map((value) => pool.run(value)));
  for (const result of results) {
    assert.equal(result.status, 'rejected');
    const error = result.status === 'rejected' ? result.reason : undefined;
    assert.equal(error.code, 'PLIMSOLL_POOL_LOAD_FAILED');
    assert.equal(error.cause.code, 'ERR_MODULE_NOT_FOUND');
    assert.match(
      error.message,
      /missing\.mjs: no file has this name, .* If .* bundled, .* an entry point, too$/,
    );
  }
});

test('a file that only `fs` and `require` see, as one in an archive, is required', async (t) => {
  const filename = resolve('/archive.asar/tasks.js');
  const execArgv = ['--require', fileURLToPath(fixture('archive.cjs'))];
  const pool = poolFor(t, { filename, name: 'add', execArgv });
  assert.equal(await pool.run({ a: 4, b: 6 }), 10);
});

test('a file whose import is missing is told by the name of that import', async (t) => {
  const { message } = await caught(poolFor(t, { filename: fixture('missing-import.mjs') }).run(1));
  assert.match(message, /missing-import\.mjs: Cannot find module '.*not-there\.mjs'/);
});

test('a file that fails to load, a missing function, and a good file after them', async (t) => {
  const pool = poolFor(t, { filename: fixture('broken.mjs') });
  const broken = await caught(pool.run(0));
  assert.equal(broken.code, 'PLIMSOLL_POOL_LOAD_FAILED');
  assert.ok(broken.cause instanceof SyntaxError);
  const filename = fixture('tasks.mjs');
  const unknown = await caught(pool.run(0, { filename, name: 'unheardOf' }));
  assert.match(unknown.message, /unheardOf.*'add'/s);
  assert.equal(await pool.run({ a: 1, b: 1 }, { filename }), 2);
});

test('a file that ends its worker while it loads rejects what waits', async (t) => {
  const pool = poolFor(t, { filename: fixture('exits.mjs') });
  pool.on('error', () => {});
  const results = await Promise.allSettled([1, 2, 3].map((value) => pool.run(value)));
  for (const result of results) {
    const error = result.status === 'rejected' ? result.reason : undefined;
    assert.equal(error.code, 'PLIMSOLL_POOL_START_FAILED');
    assert.equal(error.exitCode, 7);
  }
  assert.equal((await caught(pool.run(4))).code, 'PLIMSOLL_POOL_START_FAILED');
});

test('several workers that cannot start reject every task, and are not replaced for ever', async (t) => {
  const pool = poolFor(t, { filename: fixture('exits.mjs'), minThreads: 2, maxThreads: 2 });
  let ended = 0;
  pool.on('workerDestroy', () => ended++);
  const runs = Array.from({ length: 7 }, () => caught(pool.run(1)));
  for (const error of await Promise.all(runs)) assert.equal(error.code, 'PLIMSOLL_POOL_START_FAILED');
  assert.equal(ended, 2);
  assert.equal((await caught(pool.run(1))).code, 'PLIMSOLL_POOL_START_FAILED');
});

test('workers that die before they take a task reject what waits, and are not replaced for ever', async (t) => {
  for (const threads of [1, 2]) {
    const pool = poolFor(t, {
      filename: fixture('no-atomics.cjs'),
      minThreads: threads,
      maxThreads: threads,
    });
    let ended = 0;
    pool.on('workerDestroy', () => ended++);
    pool.on('error', () => {});
    const runs = Array.from({ length: 3 }, () => caught(pool.run(1)));
    for (const error of await Promise.all(runs)) assert.equal(error.code, 'PLIMSOLL_POOL_WORKER_CRASHED');
    assert.ok(ended < 20, `${ended} workers ended`);
  }
});

test('maxQueue holds for every task, and what it refuses never runs', async (t) => {
  const pool = poolFor(t, { maxQueue: 1 });
  await pool.run(0, { name: 'recorded' });
  const { signal } = new AbortController();
  const runs = Array.from({ length: 100 }, (_, index) => pool.run(index, { name: 'record', signal }));
  const results = await Promise.allSettled(runs);
  assert.equal(results.filter((result) => result.status === 'rejected').length, 98);
  assert.deepEqual(await pool.run(0, { name: 'recorded' }), [0, 1]);
  const none = poolFor(t, { maxQueue: 0 });
  const blocked = none.run(50, { name: 'block' });
  const refused = await caught(none.run(1, { name: 'record' }));
  assert.equal(refused.code, 'PLIMSOLL_POOL_QUEUE_FULL');
  await blocked;
  assert.deepEqual(await none.run(0, { name: 'recorded' }), []);
});

test('close waits, destroy does not; both refuse what comes after', async (t) => {
  const closing = poolFor(t);
  const running = closing.run(50, { name: 'sleep' });
  const queued = closing.run({ a: 1, b: 1 });
  let closed = false;
  closing.on('close', () => {
    closed = true;
  });
  await closing.close();
  assert.equal(closed, true);
  assert.equal(typeof (await running), 'number');
  assert.equal(await queued, 2);
  assert.equal((await caught(closing.run(1))).code, 'PLIMSOLL_POOL_CLOSED');
  const destroyed = poolFor(t);
  const lost = [destroyed.run(10_000, { name: 'sleep' }), destroyed.run(1)].map(caught);
  await destroyed.destroy();
  for (const error of await Promise.all(lost)) assert.equal(error.code, 'PLIMSOLL_POOL_CLOSED');
  const start = newGate();
  const young = poolFor(t, { filename: fixture('gated.mjs'), workerData: { words: start.words, free: 0 } });
  const taken = young.run({ a: 1, b: 1 });
  const tooMany = caught(young.run({ a: 1, b: 1 }));
  const closingYoung = young.close({ force: true });
  start.open();
  await closingYoung;
  assert.equal(await taken, 2, 'a task that the starting worker takes does not wait');
  assert.equal((await tooMany).code, 'PLIMSOLL_POOL_ABORTED');
  const forced = poolFor(t);
  await forced.run({ a: 1, b: 1 });
  const gate = newGate();
  const started = forced.run(gate.words, { name: 'hold' });
  await gate.begun();
  const waiting = [1, 2, 3].map((value) => caught(forced.run(value)));
  const closingForced = forced.close({ force: true });
  gate.open();
  await closingForced;
  assert.equal(typeof (await started), 'number');
  for (const error of await Promise.all(waiting)) assert.ok(error instanceof PoolError);
});

test('a pool that closes replaces workers until every task has run', async (t) => {
  const pool = poolFor(t, { closeTimeout: 60_000 });
  const errors: PoolError[] = [];
  pool.on('error', (error: PoolError) => errors.push(error));
  await pool.run({ a: 1, b: 1 });
  const timedOut = caught(pool.run(undefined, { name: 'blockForever', timeout: 100 }));
  const died = caught(pool.run(3, { name: 'exit' }));
  const runs = [1, 2, 3].map((a) => pool.run({ a, b: 1 }));
  await Promise.all([pool.close(), pool.close()]);
  assert.equal((await timedOut).code, 'PLIMSOLL_POOL_TIMEOUT');
  assert.equal((await died).code, 'PLIMSOLL_POOL_WORKER_EXITED');
  assert.deepEqual(await Promise.all(runs), [2, 3, 4]);
  assert.deepEqual(errors, []);
  assert.equal(pool.threads.length, 0);
});

test('close gives up after closeTimeout', async (t) => {
  const pool = poolFor(t, { closeTimeout: 50 });
  const lost = caught(pool.run(undefined, { name: 'blockForever' }));
  const timedOut = await caught(pool.close());
  assert.equal(timedOut.code, 'PLIMSOLL_POOL_CLOSE_TIMEOUT');
  assert.match(timedOut.message, /1 task/);
  assert.equal((await lost).code, 'PLIMSOLL_POOL_CLOSED');
});

test('a terminated worker loses only what it ran', async (t) => {
  const pool = poolFor(t, { minThreads: 2, maxThreads: 2 });
  const errors: Promise<{ code?: string } | undefined>[] = [];
  for (let round = 0; round < 5; round++) {
    const runs = Array.from({ length: 100 }, () => pool.run(1, { name: 'block' }));
    // From here on: a task that is lost while others are waited for needs a handler.
    errors.push(
      ...runs.map((run) =>
        run.then(
          () => undefined,
          (error) => error,
        ),
      ),
    );
    const busy = await Promise.any(runs);
    await pool.threads.find(({ threadId }) => threadId === busy)?.terminate();
  }
  const lost = (await Promise.all(errors)).filter((error) => error !== undefined);
  assert.ok(lost.length >= 1 && lost.length <= 5, `${lost.length} tasks were lost with five workers`);
  for (const { code } of lost) assert.equal(code, 'PLIMSOLL_POOL_WORKER_EXITED');
  assert.equal(pool.completed, errors.length);
});

test('an abort storm leaves no task, slot or worker behind', async (t) => {
  const pool = poolFor(t, { minThreads: 2, maxThreads: 2 });
  let aborted = 0;
  for (let round = 0; round < 5; round++) {
    const runs = Array.from({ length: 3000 }, (_, index) => {
      const controller = new AbortController();
      const run = pool.run({ a: index, b: 1 }, { signal: controller.signal });
      if (index % 2 === 0) controller.abort();
      return run;
    });
    const results = await Promise.allSettled(runs);
    aborted += results.filter((result) => result.status === 'rejected').length;
  }
  assert.equal(aborted, 7500);
  assert.equal(pool.queueSize, 0);
  assert.equal(await pool.run({ a: 1, b: 1 }), 2);
});

test('an abort in the moment in which its task ends costs no other task', async (t) => {
  const pool = poolFor(t);
  const shared = new Int32Array(new SharedArrayBuffer(4));
  for (let round = 0; round < 200; round++) {
    Atomics.store(shared, 0, 0);
    const controller = new AbortController();
    // Lasts about as long after its sign as an abort needs to arrive, give or take.
    const task = { shared, ms: (round % 50) / 1000 };
    const ending = pool.run(task, { name: 'countAndSpin', signal: controller.signal }).catch(() => {});
    const others = Array.from({ length: 50 }, (_, index) => pool.run({ a: index, b: round }));
    while (Atomics.load(shared, 0) === 0);
    controller.abort();
    assert.deepEqual(
      await Promise.all(others),
      others.map((_, index) => index + round),
    );
    await ending;
  }
});

test('without any file there is nothing to run', async (t) => {
  const nameless = new Pool({ minThreads: 0 });
  t.after(() => nameless.destroy());
  assert.equal((await caught(nameless.run(0))).code, 'PLIMSOLL_POOL_NO_FILENAME');
});
