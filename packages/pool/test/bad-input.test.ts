import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Pool, PoolError, UncloneableError } from '@plimsoll/pool';
import { ArrayTaskQueue, type PiscinaLoadBalancer, type TaskQueue } from '@plimsoll/pool/piscina';
import { caught, fixture, piscinaFor, poolFor } from './support.js';

const STRANGER = 'taskQueue.shift() must return a task that push() received, or null if there is none';

test('run rejects, and never throws: bad options', async (t) => {
  const pool = poolFor(t);
  const thrower = {
    get name(): string {
      throw new Error('from a getter');
    },
  };
  const bad: [unknown, RegExp][] = [
    [null, /^options must be an object, not null$/],
    [7, /^options must be an object, not 7$/],
    [{ name: 1 }, /^options.name must be a string, not 1$/],
    [{ filename: 1 }, /^options.filename must be a path, a file: URL or null, not 1$/],
    [{ filename: new URL('data:text/javascript,1') }, /^options.filename must be a file: URL, not 'data:/],
    [{ signal: 1 }, /^options.signal must be an AbortSignal or an EventEmitter, not 1$/],
    [{ signal: {} }, /^options.signal must be an AbortSignal or an EventEmitter, not an object$/],
    [{ transferList: {} }, /^options.transferList must be an array, not an object$/],
    [{ priority: 1.5 }, /^options.priority must be a whole number from -\d+ to \d+, not 1.5$/],
    [{ priority: Number.POSITIVE_INFINITY }, /^options.priority .* not Infinity$/],
    [{ priority: '1' }, /^options.priority must be a number, not '1'$/],
    [{ timeout: -1 }, /^options.timeout must be zero or more milliseconds, not -1$/],
    [{ timeout: Number.NaN }, /^options.timeout .* not NaN$/],
    [{ timeout: '5' }, /^options.timeout must be a number of milliseconds, not '5'$/],
  ];
  for (const [options, message] of bad) {
    const error = await caught(pool.run(0, options as never));
    assert.equal(error.code, 'PLIMSOLL_POOL_BAD_OPTION');
    assert.match(error.message, message);
  }
  assert.equal((await caught(pool.run(0, thrower))).message, 'from a getter');
  const trap = new Proxy(
    {},
    {
      has() {
        throw new Error('from a trap');
      },
    },
  );
  assert.equal((await caught(pool.run(trap))).message, 'from a trap');
  assert.equal((await caught(pool.close(1 as never))).code, 'PLIMSOLL_POOL_BAD_OPTION');
  assert.equal(
    (await caught(pool.close({ force: 1 as never }))).message,
    'options.force must be true or false, not 1',
  );
  assert.equal(await pool.run({ a: 1, b: 1 }), 2);
});

test('run rejects, and never throws: queues and balancers that throw', async (t) => {
  const throwing = {
    size: 0,
    push() {
      throw new Error('from push');
    },
    shift: () => null,
    remove() {},
  };
  const pool = piscinaFor(t, { taskQueue: throwing });
  assert.equal((await caught(pool.run(1))).message, 'from push');
  const loadBalancer: PiscinaLoadBalancer = (_task) => {
    throw new Error('from the balancer');
  };
  assert.equal((await caught(piscinaFor(t, { loadBalancer }).run(1))).message, 'from the balancer');
});

test('a queue that fails settles what it has, once, and the pool goes on', async (t) => {
  const failing: Partial<Record<keyof TaskQueue, (queue: ArrayTaskQueue) => unknown>>[] = [
    {
      shift: () => {
        throw new Error('it broke');
      },
    },
    { shift: () => ({}) },
    { shift: () => 'a task' },
    // The same one again and again.
    { shift: (queue) => queue.tasks[0] },
  ];
  for (const [index, methods] of failing.entries()) {
    const queue = new ArrayTaskQueue();
    const own = queue.shift.bind(queue);
    let broken = true;
    Object.assign(queue, { shift: () => (broken ? methods.shift?.(queue) : own()) });
    const pool = piscinaFor(t, { taskQueue: queue, maxThreads: 1 });
    const runs = Array.from({ length: 5 }, (_, a) => pool.run({ a, b: 1 }));
    const outcomes = await Promise.allSettled(runs);
    const reasons = outcomes.map((outcome) =>
      outcome.status === 'rejected' ? (outcome.reason as Error).message : 'fulfilled',
    );
    assert.ok(reasons.includes(index === 0 ? 'it broke' : STRANGER), `${index}: ${reasons}`);
    broken = false;
    assert.equal(await pool.run({ a: 1, b: 1 }), 2, `${index}: goes on`);
    assert.equal(pool.queueSize, 0);
  }
});

test('a queue whose remove() fails costs the tasks in it, not the one that was aborted', async (t) => {
  const queue = new ArrayTaskQueue();
  Object.assign(queue, {
    remove: () => {
      throw new Error('cannot remove');
    },
  });
  const pool = piscinaFor(t, { taskQueue: queue, maxThreads: 1 });
  await pool.run({ a: 1, b: 1 });
  const first = pool.run(50, { name: 'sleep' });
  const controller = new AbortController();
  const aborted = caught(pool.run({ a: 1, b: 1 }, { signal: controller.signal }));
  const waiting = caught(pool.run({ a: 2, b: 2 }));
  controller.abort();
  assert.equal((await aborted).name, 'AbortError');
  assert.equal((await waiting).message, 'cannot remove');
  await first;
  assert.equal(await pool.run({ a: 2, b: 2 }), 4);
});

test('a queue whose size fails', async (t) => {
  const queue = new ArrayTaskQueue();
  const pool = piscinaFor(t, { taskQueue: queue, maxThreads: 1 });
  await pool.run({ a: 1, b: 1 });
  Object.defineProperty(queue, 'size', {
    get() {
      throw new Error('no size');
    },
  });
  const first = pool.run(20, { name: 'sleep' });
  const waiting = [1, 2].map((a) => caught(pool.run({ a, b: 1 })));
  for (const error of await Promise.all(waiting)) assert.equal(error.message, 'no size');
  await first;
});

test('run rejects, and never throws: threads that Node refuses to make', async (t) => {
  const execArgv = ['--no-such-flag'];
  assert.throws(() => new Pool({ execArgv, minThreads: 1 }), { code: 'ERR_WORKER_INVALID_EXEC_ARGV' });
  const pool = poolFor(t, { execArgv, minThreads: 0 });
  for (let round = 0; round < 3; round++) {
    const error = await caught(pool.run(1));
    assert.equal(error.code, 'PLIMSOLL_POOL_START_FAILED');
    assert.match(error.message, /^No worker can be started: .*--no-such-flag/);
    assert.equal((error.cause as { code?: string }).code, 'ERR_WORKER_INVALID_EXEC_ARGV');
  }
});

test('a name that is not there, with those that are', async (t) => {
  const pool = poolFor(t);
  const error = await caught(pool.run(1, { name: 'ad' }));
  assert.equal(error.code, 'PLIMSOLL_POOL_LOAD_FAILED');
  assert.match(error.message, /^No handler function exported from .*tasks.mjs as 'ad', only 'add', /);
  assert.equal((await caught(pool.run(1, { name: 'nothing' }))).code, 'PLIMSOLL_POOL_LOAD_FAILED');
});

test('values that cannot be cloned are named by their path, as tasks, results, errors and transfers', async (t) => {
  const pool = poolFor(t);
  const tasks: [unknown, string, RegExp][] = [
    [() => 1, 'task', /it is a function/],
    [{ user: { socket: () => 1 } }, 'task.user.socket', /it is a function/],
    [[1, { 'odd key': Symbol('x') }], 'task[1]["odd key"]', /it is a symbol/],
    [new Map([['key', new WeakMap()]]), 'task.get(key)', /it is an object of class WeakMap/],
    [new Set([1, Promise.resolve()]), 'task.values()[1]', /it is an object of class Promise/],
    [{ rows: (function* () {})() }, 'task.rows', /it is an object of class Generator$/],
  ];
  for (const [task, path, what] of tasks) {
    const error = (await caught(pool.run(task, { name: 'echo' }))) as UncloneableError;
    assert.ok(error instanceof UncloneableError);
    assert.equal(error.path, path);
    assert.match(error.message, what);
    assert.ok(error.message.startsWith(`${path} cannot be copied to another thread: `), error.message);
    assert.equal((error.cause as Error).name, 'DataCloneError');
  }
  const result = (await caught(pool.run(0, { name: 'returnFunction' }))) as UncloneableError;
  assert.equal(result.path, 'result.deep[0].callback');
  const thrown = (await caught(pool.run(0, { name: 'throwFunction' }))) as UncloneableError;
  assert.equal(thrown.path, 'the thrown value.fn');
  const twice = new Uint8Array(1);
  const transferred = await caught(pool.run(twice, { transferList: [twice.buffer, twice.buffer] }));
  assert.equal(transferred.code, 'PLIMSOLL_POOL_UNCLONEABLE');
  assert.equal(await pool.run({ a: 1, b: 1 }), 2);
});

test('a signal that is aborted already: the task never runs, and nothing listens', async (t) => {
  const pool = poolFor(t);
  const controller = new AbortController();
  controller.abort('long ago');
  const { signal } = controller;
  signal.addEventListener = () => assert.fail('it was listened to');
  const bytes = new Uint8Array(1);
  const error = await caught(pool.run(bytes, { name: 'record', signal, transferList: [bytes.buffer] }));
  assert.equal(error.code, 'PLIMSOLL_POOL_ABORTED');
  assert.equal(error.name, 'AbortError');
  assert.equal(error.cause, 'long ago');
  assert.equal(bytes.byteLength, 1, 'it was transferred');
  assert.deepEqual(await pool.run(0, { name: 'recorded' }), []);
});

test('run during and after close and destroy', async (t) => {
  const pool = poolFor(t);
  const closing = pool.close();
  const during = await caught(pool.run(1));
  await closing;
  const after = [during, await caught(pool.run(1)), await caught(pool.run(1, { name: 'echo', timeout: 1 }))];
  for (const error of after) {
    assert.ok(error instanceof PoolError);
    assert.equal(error.code, 'PLIMSOLL_POOL_CLOSED');
    assert.equal(error.message, 'The pool is closing or closed');
  }
  await pool.close();
  await pool.destroy();
});

test('a name that every object or function has names no task', async (t) => {
  const pool = poolFor(t);
  const files = ['tasks.mjs', 'tasks.cjs', 'object.cjs', 'service.cjs'];
  const names = [
    'constructor',
    'toString',
    '__proto__',
    'hasOwnProperty',
    'call',
    'apply',
    'bind',
    'caller',
    'arguments',
  ];
  for (const file of files) {
    for (const name of names) {
      const error = await caught(pool.run('1', { filename: fixture(file), name }));
      assert.equal(error.code, 'PLIMSOLL_POOL_LOAD_FAILED', `${name} of ${file}`);
    }
  }
  assert.equal(await pool.run(2, { filename: fixture('service.cjs'), name: 'double' }), 4);
});

test('a file that exports nothing has no function', async (t) => {
  const pool = poolFor(t, { filename: fixture('null.cjs') });
  assert.equal((await caught(pool.run(1))).code, 'PLIMSOLL_POOL_LOAD_FAILED');
});
