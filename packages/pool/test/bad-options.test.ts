import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { Pool, type PoolOptions, UncloneableError } from '@plimsoll/pool';
import { fixture } from './support.js';

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
      [1.5, RangeError, /must be a whole number from 0 to Infinity, not 1.5$/],
      [-1, RangeError, /not -1$/],
      [Number.NaN, RangeError, /not NaN$/],
      [Number.NEGATIVE_INFINITY, RangeError, /not -Infinity$/],
    ],
    concurrentTasksPerWorker: counts(1, 32768),
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
    breaker: [
      [null, TypeError, /must be an object, not null$/],
      [{ failures: 0.5 }, RangeError, /\.failures must be a whole number from 1/],
      [{ pause: Number.NaN }, RangeError, /\.pause must be zero or more milliseconds/],
    ],
    host: [
      [() => 1, TypeError, /must be an object of functions, not a function$/],
      [[], TypeError, /must be an object of functions, not an array$/],
      [{ resolve: 1 }, TypeError, /\.resolve must be a function, not 1$/],
      [{ sync() {} }, RangeError, /\.sync must be named otherwise/],
    ],
    hostTimeout: durations(),
    explain: [[1, TypeError, /must be true or false, not 1$/]],
    maxTasksPerWorker: counts(1, Number.MAX_SAFE_INTEGER),
    maxHeapMb: counts(1, Number.MAX_SAFE_INTEGER),
    maxValueBytes: [
      ['1', TypeError, /must be a number, not '1'$/],
      [0, RangeError, /must be a whole number from 1 to Infinity, not 0$/],
      [1.5, RangeError, /must be a whole number/],
    ],
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
