import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { Pool, PoolError, type PoolOptions, UncloneableError } from '@plimsoll/pool';
import { ArrayTaskQueue, type PiscinaLoadBalancer, type TaskQueue } from '@plimsoll/pool/piscina';
import { caught, fixture, piscinaFor, poolFor } from './support.js';

const STRANGER = 'taskQueue.shift() must return a task that push() was given, or null when there is none';

const refused = (options: unknown): Error & { code?: string } => {
  try {
    new Pool(options as PoolOptions);
  } catch (error) {
    return error as Error;
  }
  return assert.fail('the options were accepted');
};

/** What every option refuses: the value, the kind of error, and the end of the message after the option's name. */
const BAD: Record<keyof PoolOptions, [value: unknown, kind: typeof TypeError | typeof RangeError, RegExp][]> =
  {
    filename: [
      [1, TypeError, /must be a path, a file: URL or null, not 1$/],
      [
        new URL('https://example.org/a.js'),
        RangeError,
        /must be a file: URL, not 'https:\/\/example.org\/a.js'$/,
      ],
    ],
    name: [[Symbol('x'), TypeError, /must be a string, not Symbol\(x\)$/]],
    minThreads: counts(0, 1024),
    maxThreads: counts(1, 1024),
    idleTimeout: durations(),
    maxQueue: [
      ['many', TypeError, /must be a number or 'auto', not 'many'$/],
      [null, TypeError, /must be a number or 'auto', not null$/],
      [1.5, RangeError, /must be a whole number from 0 to \d+, not 1.5$/],
      [-1, RangeError, /not -1$/],
      [Number.NaN, RangeError, /not NaN$/],
      [Number.NEGATIVE_INFINITY, RangeError, /not -Infinity$/],
    ],
    concurrentTasksPerWorker: counts(1, 65536),
    resourceLimits: [[5, TypeError, /must be an object, not 5$/]],
    argv: [
      ['x', TypeError, /must be an array of strings, not 'x'$/],
      [[1], TypeError, /must be an array of strings, not an array$/],
    ],
    execArgv: [[{}, TypeError, /must be an array of strings, not an object$/]],
    env: [['PATH=x', TypeError, /must be an object or SHARE_ENV, not 'PATH=x'$/]],
    workerData: [],
    niceIncrement: counts(process.platform === 'win32' ? -20 : 0, 39),
    trackUnmanagedFds: [[1, TypeError, /must be true or false, not 1$/]],
    closeTimeout: durations(),
    recordTiming: [['no', TypeError, /must be true or false, not 'no'$/]],
    retry: [
      [3, TypeError, /must be an object, not 3$/],
      [{ on: 'crash' }, TypeError, /\.on must be an array of 'crash', 'oom' and 'exit', not 'crash'$/],
      [{ on: ['abort'] }, TypeError, /\.on must be an array of/],
      [{ max: -1 }, RangeError, /\.max must be a whole number from 0/],
      [{ backoff: '1' }, TypeError, /\.backoff must be a number of milliseconds/],
    ],
    quarantine: [
      [true, TypeError, /must be an object, not true$/],
      [{ deaths: 0 }, RangeError, /\.deaths must be a whole number from 1/],
      [{ within: -1 }, RangeError, /\.within must be zero or more milliseconds/],
      [{ pause: null }, TypeError, /\.pause must be a number of milliseconds/],
    ],
    breaker: [
      [null, TypeError, /must be an object, not null$/],
      [{ failures: 0.5 }, RangeError, /\.failures must be a whole number from 1/],
      [{ pause: Number.NaN }, RangeError, /\.pause must be zero or more milliseconds/],
    ],
    explain: [[1, TypeError, /must be true or false, not 1$/]],
    maxTasksPerWorker: counts(1, Number.MAX_SAFE_INTEGER),
    maxHeapMb: counts(1, Number.MAX_SAFE_INTEGER),
    context: [
      ['user', TypeError, /must be an object of AsyncLocalStorages, not 'user'$/],
      [[], TypeError, /must be an object of AsyncLocalStorages, not an array$/],
      [null, TypeError, /must be an object of AsyncLocalStorages, not null$/],
      [
        { user: {} },
        TypeError,
        /must be an object of AsyncLocalStorages, which 'user' is to be, too, not an object$/,
      ],
    ],
    openTelemetry: [
      ['yes', TypeError, /must be true, false or the module @opentelemetry\/api, not 'yes'$/],
      [{ trace: {} }, TypeError, /must be true, false or the module @opentelemetry\/api, not an object$/],
      [null, TypeError, /not null$/],
    ],
  };

function counts(least: number, most: number): [unknown, typeof TypeError | typeof RangeError, RegExp][] {
  const whole = `must be a whole number from ${least} to ${most}, not`;
  return [
    [least + 0.5, RangeError, new RegExp(`${whole} ${least + 0.5}$`)],
    [least - 1, RangeError, new RegExp(`${whole} ${least - 1}$`)],
    [most + 1, RangeError, new RegExp(`${whole} ${most + 1}$`)],
    [Number.NaN, RangeError, new RegExp(`${whole} NaN$`)],
    [Number.POSITIVE_INFINITY, RangeError, new RegExp(`${whole} Infinity$`)],
    ['2', TypeError, /must be a number, not '2'$/],
    [2n, TypeError, /must be a number, not 2$/],
    [null, TypeError, /must be a number, not null$/],
  ];
}

function durations(): [unknown, typeof TypeError | typeof RangeError, RegExp][] {
  return [
    [-1, RangeError, /must be zero or more milliseconds, not -1$/],
    [Number.NaN, RangeError, /must be zero or more milliseconds, not NaN$/],
    ['1', TypeError, /must be a number of milliseconds, not '1'$/],
  ];
}

for (const [name, cases] of Object.entries(BAD)) {
  if (cases.length === 0) continue;
  test(`options.${name}: what is wrong is named, with the value and what is right`, () => {
    for (const [value, Kind, message] of cases) {
      const error = refused({ [name]: value });
      assert.equal(error.constructor, Kind, error.stack);
      assert.match(error.message, new RegExp(`^options\\.${name}[ .]`));
      assert.match(error.message, message);
      assert.equal(error.code, 'PLIMSOLL_POOL_BAD_OPTION');
    }
  });
}

test('an option that only Piscina has says where that is', () => {
  for (const name of ['atomics', 'stricterFIFO', 'taskQueue', 'loadBalancer', 'workerHistogram']) {
    const error = refused({ [name]: 'x' });
    assert.equal(error.code, 'PLIMSOLL_POOL_BAD_OPTION');
    assert.match(error.message, new RegExp(`^options\\.${name} must be left out here`));
    assert.match(error.message, /import Piscina from '@plimsoll\/pool\/piscina'/);
  }
});

test('options that are none, and options that contradict each other', () => {
  for (const options of [null, 1, 'file.js'])
    assert.match(refused(options).message, /^options must be an object, not/);
  const error = refused({ minThreads: 3, maxThreads: 2 });
  assert.equal(error.message, 'options.minThreads must be no more than options.maxThreads (2), not 3');
  assert.equal(error.code, 'PLIMSOLL_POOL_BAD_OPTION');
});

test('workerData that cannot be cloned is named by its path', () => {
  const error = refused({ workerData: { user: { socket: () => 1 } } });
  assert.ok(error instanceof UncloneableError);
  assert.equal(error.path, 'options.workerData.user.socket');
});

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

test('the README’s table of options has every option, and its defaults', () => {
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
  const table = readme.slice(readme.indexOf('## Options'), readme.indexOf('## When something goes wrong'));
  const rows = table.split('\n').filter((line) => line.startsWith('| `'));
  const documented = new Map<string, string>();
  for (const row of rows) {
    const [, names = '', given = ''] = row.split('|').map((cell) => cell.trim());
    for (const [, name = ''] of names.matchAll(/`(\w+)`/g)) documented.set(name, given);
  }
  assert.deepEqual([...documented.keys()].sort(), Object.keys(BAD).sort());
  const pool = new Pool({ filename: fixture('tasks.mjs'), minThreads: 0 });
  const { options } = pool;
  void pool.destroy();
  for (const [name, given] of documented) {
    const actual = options[name as keyof PoolOptions];
    const [, literal] = /^`?('?\w+'?)`?(?: ms)?$/.exec(given) ?? [];
    if (['number', 'boolean'].includes(typeof actual) && literal !== undefined)
      assert.equal(String(actual), literal, `the default of ${name}`);
  }
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
