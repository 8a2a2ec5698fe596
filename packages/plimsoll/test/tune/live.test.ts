import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Window } from '#plimsoll/tune/sample.js';
import { until } from '../support/cli.js';
import { ask, askWorkers, liveApp, load, loadHttp2, untilServing } from '../support/live.js';

/** A window ends with its requests, however long they take. */
const patience = { mostMs: 60_000, drainMs: 60_000 } as const;
const plan = { block: 0, order: 0, leastMs: 200, requests: 40, ...patience } as const;
const routesOf = ({ routes }: Window): string[] => [...routes.keys()].sort();
const count = ({ routes }: Window): number => [...routes.values()].flat().length;

describe('windows of a running app', { concurrency: false }, () => {
  test('HTTP/1: each size is in force, requests are counted by route, and the old size comes back', async (context) => {
    const { target, port, child } = await liveApp(context, ['tune/server.cjs', 'http1']);
    // So many that jobs wait for the pool.
    load(context, port, ['/users/1', '/users/2?full=1', '/fails'], 4, 0);
    await until(() => target.requests > 20);
    const waits: (number | null)[] = [];
    for (const [order, size] of [2, 8, 1].entries()) {
      const window = await target.window({ ...plan, order, arm: size, size });
      assert.equal(window.size, size);
      assert.deepEqual(routesOf(window), ['GET /users/:id']);
      assert.ok(window.completed >= 40, `${window.completed} requests`);
      // A third of them fails.
      assert.ok(window.failed > 0.2 * window.completed && window.failed < 0.5 * window.completed);
      // Some began before the span and some ended after it: never more than there are connections.
      assert.ok(Math.abs(count(window) + window.failed - window.completed) <= 8);
      assert.ok(window.cpuCores > 0 && window.seconds >= 0.2);
      waits.push(window.queueWaitMs.fast);
      assert.equal(window.unfinished, 0);
      assert.equal(window.disturbed, false);
    }
    assert.ok((target.pool.limit ?? 0) >= 8);
    // Canaries go at random: a window may have none.
    const known = waits.filter((ms) => ms !== null);
    assert.ok(known.length > 0 && known.every((ms) => ms > 0), `${waits}`);
    await untilServing(child.pid, 1);
    await target.close();
    await untilServing(child.pid, 8);
  });

  test('HTTP/2: streams are requests', async (context) => {
    const { target, port } = await liveApp(context, ['tune/server.cjs', 'http2']);
    loadHttp2(context, port, '/items/7');
    const window = await target.window({ ...plan, arm: 4, size: 4 });
    assert.deepEqual(routesOf(window), ['GET /items/:id']);
    assert.ok(window.completed >= 40 && window.failed === 0, `${window.completed}, ${window.failed} failed`);
  });

  test('a cluster of two: both workers change, and one window is of both', async (context) => {
    const { target, port, child } = await liveApp(context, ['tune/server.cjs', 'cluster']);
    load(context, port, ['/'], 8);
    await until(() => target.pids.length === 3);
    // One that is asked for the first time after a switch joins late, and disturbs.
    await askWorkers(port, 2);
    await target.window({ ...plan, arm: 3, size: 3 });
    const window = await target.window({ ...plan, arm: 3, size: 3 });
    assert.equal(window.size, 3);
    assert.equal(window.disturbed, false);
    const { pids } = target;
    for (const pid of pids) if (pid !== child.pid) await untilServing(pid, 3);
  });

  test('plimsoll/mark: what comes over no protocol is counted by its name', async (context) => {
    const { target } = await liveApp(context, ['tune/marks.cjs']);
    const window = await target.window({ ...plan, arm: 2, size: 2 });
    assert.deepEqual(routesOf(window), ['import', 'send-mail']);
    assert.ok(window.failed > 0 && window.failed < window.completed / 4);
  });
});

describe('what a window must not get wrong', { concurrency: false }, () => {
  test('long requests are as likely to be in it as short ones', async (context) => {
    const { target, port } = await liveApp(context, ['tune/server.cjs', 'http1']);
    // Clients in step, whose requests take longer than a window: of a window that began as soon as those under way at the switch had
    // ended, or that did not wait for its own, there would be none.
    load(context, port, ['/later?ms=300'], 4);
    load(context, port, ['/later?ms=3'], 4);
    let long = 0;
    // A window has four with a chance of four in five; one that is out of step is an accident.
    for (let order = 0; order < 20 && long < 5; order++) {
      const place = { block: 0, order, arm: 4, size: 4 } as const;
      const window = await target.window({ ...place, ...patience, leastMs: 250, mostMs: 250 });
      const latencies = [...window.routes.values()].flat();
      long += latencies.filter((latency) => latency > 250).length;
      assert.equal(window.unfinished, 0);
    }
    assert.ok(long >= 5, `${long} long ones`);
  });

  test('a request that never ends holds no window up and is said to be unfinished once', async (context) => {
    const { target, port } = await liveApp(context, ['tune/server.cjs', 'http1']);
    load(context, port, ['/'], 4);
    void ask(port, '/never');
    await until(() => target.requests > 50);
    await target.window({ ...plan, arm: 4, size: 4, drainMs: 500 });
    const started = performance.now();
    const window = await target.window({ ...plan, arm: 2, size: 2, drainMs: 120_000 });
    assert.ok(performance.now() - started < 110_000);
    assert.equal(window.unfinished, 0);
    // Whenever the next window begins.
    const asking = setInterval(() => void ask(port, '/never'), 200);
    const next = await target.window({ ...plan, leastMs: 1_000, arm: 4, size: 4, drainMs: 300 });
    clearInterval(asking);
    // Then the last of these has arrived, too.
    await ask(port, '/');
    assert.ok(next.unfinished >= 1);
    assert.ok(next.inFlightGrowth >= next.unfinished - 4, `${next.inFlightGrowth} more`);
    const last = await target.window({ ...plan, arm: 2, size: 2, drainMs: 300 });
    assert.equal(last.unfinished, 0);
  });

  test('a lost connection is a failure, a client that goes away is none', async (context) => {
    const { target, port } = await liveApp(context, ['tune/server.cjs', 'http1']);
    load(context, port, ['/lost'], 2);
    const lost = await target.window({ ...plan, arm: 4, size: 4 });
    assert.ok(lost.failed >= 20 && lost.failed === lost.completed, `${lost.failed} of ${lost.completed}`);
  });

  test('an event loop that is blocked neither hides its delay nor holds the agent up', async (context) => {
    const { target, port } = await liveApp(context, ['tune/server.cjs', 'http1']);
    load(context, port, ['/blocks?ms=300'], 1);
    const window = await target.window({ ...plan, leastMs: 1_000, requests: 3, arm: 2, size: 2 });
    assert.equal(window.size, 2);
    const { p99, mean } = window.loopDelayMs;
    assert.ok(p99 > 200 && p99 < 1_000 * (window.seconds + 1), `${p99} ms in ${window.seconds} s`);
    // In each 300 ms a timer is late by 150 ms in the mean.
    assert.ok(mean * window.seconds > 2 * 0.3 * 100, `${mean} ms in ${window.seconds} s`);
  });
});
