import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import type { PlimsollError } from '#plimsoll/errors.js';
import { LiveTarget } from '#plimsoll/tune/live/target.js';
import { until } from '../support/cli.js';
import { ask, askWorkers, liveApp, load, portOf, startApp, untilServing } from '../support/live.js';

/** A window ends with its requests, however long they take. */
const patience = { mostMs: 60_000, drainMs: 60_000 } as const;
const plan = { block: 0, order: 0, leastMs: 200, requests: 40, arm: 2, size: 2, ...patience } as const;
const code = (expected: string) => (error: PlimsollError) => error.code === expected;

function temporaryDirectory(context: TestContext): string {
  const directory = mkdtempSync(join(tmpdir(), 'plimsoll-live-'));
  context.after(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

describe('when the app goes', { concurrency: false }, () => {
  test('one that ends in the middle of a window is an error of the target', async (context) => {
    const { target, port } = await liveApp(context, ['tune/server.cjs', 'http1']);
    load(context, port, ['/']);
    await target.window(plan);
    setTimeout(() => void ask(port, '/exits'), 300);
    await assert.rejects(target.window({ ...plan, leastMs: 60_000 }), code('PLIMSOLL_TARGET_DIED'));
  });

  test('a killed worker of a cluster disturbs a window, and the other one goes on', async (context) => {
    const { target, port, child } = await liveApp(context, ['tune/server.cjs', 'cluster']);
    load(context, port, ['/'], 8);
    await until(() => target.pids.length === 3);
    await askWorkers(port, 2);
    // Whoever joins late has joined.
    await target.window(plan);
    const worker = target.pids.find((pid) => pid !== child.pid) ?? assert.fail();
    const window = target.window({ ...plan, leastMs: 2_000 });
    process.kill(worker, 'SIGKILL');
    assert.equal((await window).disturbed, true);
    await until(() => target.pids.length === 2);
    const next = await target.window(plan);
    assert.equal(next.disturbed, false);
    assert.ok(next.completed >= 40);
  });

  test('it ends as it would have, with parked threads', async (context) => {
    for (const size of [1, 4, 8]) {
      const { target, port, child } = await liveApp(context, ['tune/server.cjs', 'http1']);
      await ask(port, '/');
      await until(() => target.requests > 0);
      await target.resize(size);
      const exit = new Promise((resolve) => child.once('exit', resolve));
      await ask(port, '/exits');
      assert.equal(await exit, 7);
    }
  });
});

describe('when plimsoll goes', { concurrency: false }, () => {
  test('killed by SIGKILL: the pool gets its old size back, and the agent ends', async (context) => {
    const directory = temporaryDirectory(context);
    const plimsoll = startApp(['tune/resizes.mjs', directory, '3'], {});
    context.after(() => plimsoll.kill('SIGKILL'));
    await portOf(plimsoll);
    const app = startApp(['tune/server.cjs', 'http1'], preloaded(join(directory, 'tune')));
    context.after(() => app.kill('SIGKILL'));
    const port = await portOf(app);
    load(context, port, ['/']);
    await untilServing(app.pid, 3);
    plimsoll.kill('SIGKILL');
    await untilServing(app.pid, 8);
    assert.equal(await ask(port, '/'), 200);
  });

  test('what it hears after it was closed, and two closes, do no harm', async (context) => {
    const { target, port } = await liveApp(context, ['tune/server.cjs', 'http1']);
    load(context, port, ['/']);
    await target.window(plan);
    await Promise.all([target.close(), target.close()]);
    assert.equal(await ask(port, '/'), 200);
  });

  test('a signal ends a window at any moment', async (context) => {
    const { target, port } = await liveApp(context, ['tune/server.cjs', 'http1']);
    load(context, port, ['/']);
    for (const ms of [0, 30, 150, 500]) {
      const reason = new Error('interrupted');
      const controller = new AbortController();
      setTimeout(() => controller.abort(reason), ms);
      const window = target.window({ ...plan, leastMs: 60_000 }, controller.signal);
      await assert.rejects(window, (error: Error) => error === reason || error.cause === reason);
    }
  });
});

describe('who may not be measured', { concurrency: false }, () => {
  test('a program that sets its own size: the true limit is told', async (context) => {
    const { target, port, child } = await liveApp(context, ['tune/server.cjs', 'own-size']);
    load(context, port, ['/']);
    await until(() => target.requests > 20);
    const window = await target.window({ ...plan, arm: 8, size: 8 });
    // Real threads can be added, too.
    const size = target.pool.limit === 1024 ? 8 : 2;
    assert.equal(window.size, size);
    await untilServing(child.pid, size, 2);
  });

  test('a command without Node', async (context) => {
    const target = await LiveTarget.listen(temporaryDirectory(context));
    context.after(() => target.close());
    await assert.rejects(target.arrived(200), code('PLIMSOLL_NOT_MEASURED'));
  });
});

function preloaded(socket: string): Record<string, string> {
  const preload = new URL('../../dist/tune/child/preload.cjs', import.meta.url).pathname;
  return {
    PLIMSOLL_TUNE: socket,
    UV_THREADPOOL_SIZE: '8',
    NODE_OPTIONS: `--require ${JSON.stringify(preload)}`,
  };
}
