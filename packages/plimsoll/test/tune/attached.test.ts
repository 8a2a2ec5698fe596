import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import type { PlimsollError } from '#plimsoll/errors.js';
import { attachTo, boundedSizes } from '#plimsoll/tune/live/attached.js';
import { until } from '../support/cli.js';
import { ask, type LiveApp, load, portOf, startApp, untilLeftAlone, untilServing } from '../support/live.js';

/** A window ends with its requests, however long they take. */
const patience = { mostMs: 60_000, drainMs: 60_000 } as const;
const plan = { block: 0, order: 0, leastMs: 200, requests: 40, ...patience } as const;
const { signal } = new AbortController();

function temporaryDirectory(context: TestContext): string {
  const directory = mkdtempSync(join(tmpdir(), 'plimsoll-live-'));
  context.after(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

/** An app that plimsoll has not started. */
async function running(context: TestContext, kind: string): Promise<Omit<LiveApp, 'target'>> {
  const child = startApp(['tune/server.cjs', kind], { UV_THREADPOOL_SIZE: '8' });
  context.after(() => child.kill('SIGKILL'));
  return { child, port: await portOf(child) };
}

test('the sizes that a service in production is tried with', () => {
  assert.deepEqual(boundedSizes(5), [3, 5, 10, 20]);
  assert.deepEqual(boundedSizes(1), [1, 2, 4]);
});

describe('a process that runs already', { concurrency: false }, () => {
  test('is measured, gets its old size back, and can be measured again', async (context) => {
    const { child, port } = await running(context, 'http1');
    await ask(port, '/');
    for (const size of [2, 5]) {
      const target = await attachTo(child.pid, temporaryDirectory(context), signal);
      context.after(() => target.close());
      const clients = load(context, port, ['/users/1']);
      await until(() => target.requests > 20);
      assert.equal(target.pool.size, 8);
      const window = await target.window({ ...plan, arm: size, size });
      assert.equal(window.size, size);
      assert.deepEqual([...window.routes.keys()], ['GET /users/:id']);
      assert.equal(window.disturbed, false);
      await target.close();
      await untilServing(child.pid, 8);
      await clients.stop();
      await untilLeftAlone(child.pid);
    }
  });

  test('is measured by one plimsoll at a time', async (context) => {
    const { child } = await running(context, 'http1');
    const target = await attachTo(child.pid, temporaryDirectory(context), signal);
    await assert.rejects(
      attachTo(child.pid, temporaryDirectory(context), signal),
      ({ code }: PlimsollError) => code === 'PLIMSOLL_ALREADY_TUNED',
    );
    await target.close();
  });

  test('with the workers of its cluster', async (context) => {
    const { child, port } = await running(context, 'cluster');
    const target = await attachTo(child.pid, temporaryDirectory(context), signal);
    context.after(() => target.close());
    assert.equal(target.pids.length, 2);
    load(context, port, ['/'], 8);
    await until(() => target.requests > 40);
    await target.resize(3);
    for (const pid of target.pids) await untilServing(pid, 3);
  });
});
