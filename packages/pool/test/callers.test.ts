import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { AbortError, type Pool } from '@plimsoll/pool';
import { caught, fixture, poolFor } from './support.js';

const FAIL = { name: 'fail' };

/** The functions of this file that a stack names. */
const callersIn = ({ stack = '' }: Error): string[] =>
  [...stack.matchAll(/at async (?:new )?(\w+) \(.*callers\.test\.[jt]s:\d+:\d+\)$/gm)].map(
    ([, name]) => name as string,
  );

async function inner(pool: Pool, way: (pool: Pool) => Promise<unknown>): Promise<void> {
  await way(pool);
}

async function outer(pool: Pool, way: (pool: Pool) => Promise<unknown>): Promise<void> {
  await inner(pool, way);
}

const WAYS: Record<string, (pool: Pool) => Promise<unknown>> = {
  'a task': (pool) => pool.run('no', FAIL),
  'a task that is asynchronous': (pool) => pool.run('no', { name: 'failLater' }),
  'one of several': (pool) => Promise.all([pool.run(1, { name: 'echo' }), pool.run('no', FAIL)]),
  'a call of a proxy': (pool) => (pool.proxy().fail as (message: string) => Promise<unknown>)('no'),
  'a task with a timeout': (pool) => pool.run('no', { ...FAIL, timeout: 60_000 }),
  'a worker that dies': (pool) => pool.run(1, { name: 'exit' }),
};

for (const [what, way] of Object.entries(WAYS)) {
  test(`the error of ${what} names the functions that await it, after the worker's own`, async (context) => {
    const error = await caught(outer(poolFor(context), way));
    assert.deepEqual(callersIn(error).slice(0, 2), ['inner', 'outer'], error.stack);
    assert.doesNotMatch(error.stack?.split('at async ').slice(1).join('') ?? '', /packages.pool.(dist|src)/);
    if (what !== 'a worker that dies') assert.match(error.stack ?? '', /tasks\.mjs:\d+.*at async inner/s);
  });
}

test('with a store that travels, too', async (context) => {
  const { AsyncLocalStorage } = await import('node:async_hooks');
  const pool = poolFor(context, { context: { user: new AsyncLocalStorage() } });
  assert.deepEqual(callersIn(await caught(outer(pool, (of) => of.run('no', FAIL)))).slice(0, 2), [
    'inner',
    'outer',
  ]);
});

test('each part of a broadcast', async (context) => {
  const pool = poolFor(context);
  async function caller(): Promise<unknown[]> {
    return await pool.broadcast('no', FAIL);
  }
  const [part] = (await caller()) as [{ reason: Error }];
  assert.ok(callersIn(part.reason).includes('caller'), part.reason.stack);
});

test('a value that is no error, and an abort, stay as they are', async (context) => {
  const pool = poolFor(context);
  assert.equal(await caught(outer(pool, (of) => of.run('text', { name: 'failOddly' }))), 'text');
  const ended = AbortSignal.timeout(20);
  const error = await caught(outer(pool, (of) => of.run(60_000, { name: 'sleep', signal: ended })));
  assert.ok(error instanceof AbortError);
  assert.deepEqual(callersIn(error), []);
});

test('no line where stacks have none, or another form', async (context) => {
  const pool = poolFor(context);
  const { stackTraceLimit, prepareStackTrace } = Error;
  context.after(() => Object.assign(Error, { stackTraceLimit, prepareStackTrace }));
  Error.stackTraceLimit = 0;
  assert.deepEqual(callersIn(await caught(outer(pool, (of) => of.run('no', FAIL)))), []);
  Error.stackTraceLimit = 10;
  Error.prepareStackTrace = (_error, sites) => sites;
  assert.equal((await caught(outer(pool, (of) => of.run('no', FAIL)))).message, 'no');
});

test('an error that nobody awaits is reported once, with its promise', () => {
  const program = `
    import { Pool } from '@plimsoll/pool';
    const pool = new Pool({ filename: ${JSON.stringify(fixture('tasks.mjs'))}, maxThreads: 1 });
    process.on('unhandledRejection', ({ message }, promise) => console.log(message, promise === task));
    const task = pool.run('no', { name: 'fail' });
    await pool.close();`;
  const cwd = fileURLToPath(fixture('.'));
  const args = ['--input-type=module', '-e', program];
  assert.equal(execFileSync(process.execPath, args, { cwd, encoding: 'utf8' }), 'no true\n');
});
