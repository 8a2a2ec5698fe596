import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { test } from 'node:test';
import type { Pool, TaskEvent } from '@plimsoll/pool';
import { caught, fixture, poolFor, until } from './support.js';

const KINDS = ['start', 'end', 'started', 'asyncStart', 'asyncEnd'] as const;
const FAILED = ['start', 'end', 'started', 'error', 'asyncStart', 'asyncEnd'] as const;
const NOT_BEGUN = FAILED.filter((kind) => kind !== 'started');
type Kind = (typeof FAILED)[number];
const nameOf = (kind: Kind): string =>
  kind === 'started' ? 'plimsoll.pool.task.started' : `tracing:plimsoll.pool.task:${kind}`;
interface Seen {
  kind: Kind;
  event: TaskEvent;
}

/** Runs something while these events are noted. */
async function noting(
  run: (seen: readonly Seen[]) => Promise<unknown>,
  kinds: readonly Kind[] = FAILED,
): Promise<Seen[]> {
  const seen: Seen[] = [];
  const listeners = kinds.map((kind) => {
    const name = nameOf(kind);
    const listener = (event: unknown): void => void seen.push({ kind, event: event as TaskEvent });
    subscribe(name, listener);
    return () => unsubscribe(name, listener);
  });
  try {
    await run(seen);
  } finally {
    for (const stop of listeners) stop();
  }
  return seen;
}

const kindsOf = (seen: readonly Seen[]): Kind[] => seen.map(({ kind }) => kind);
const callsOf = (pool: Pool): number[] => {
  const { handlers } = (pool as unknown as { core: { handlers: { byId: Map<number, { call: number }> } } })
    .core;
  return [...handlers.byId.values()].map(({ call }) => call);
};

test('a task is submitted, started and settled, in this order and once, with the same object', async (t) => {
  const pool = poolFor(t);
  let thread: unknown;
  const seen = await noting(async () => {
    thread = await pool.run(20, { name: 'block' });
  });
  assert.deepEqual(kindsOf(seen), [...KINDS]);
  const [first] = seen;
  const event = first?.event as TaskEvent;
  for (const one of seen) assert.equal(one.event, event);
  assert.equal(event.name, 'block');
  assert.equal(event.filename, pool.options.filename);
  assert.equal(event.threadId, thread);
  assert.ok(event.queuedAt <= (event.startedAt ?? 0), 'submitted first');
  assert.ok((event.settledAt ?? 0) - (event.startedAt ?? 0) >= 19, 'the function took that long');
  assert.equal('error' in event, false);
});

test('many tasks at once: each has its own events, in their order', async (t) => {
  const pool = poolFor(t, { maxThreads: 2, concurrentTasksPerWorker: 3 });
  const seen = await noting(() =>
    Promise.all(Array.from({ length: 200 }, (_, index) => pool.run(index, { name: 'echoLater' }))),
  );
  const byTask = group(seen);
  assert.equal(byTask.size, 200);
  for (const kinds of byTask.values()) assert.deepEqual(kinds, [...KINDS]);
});

function group(seen: readonly Seen[]): Map<number, Kind[]> {
  const groups = new Map<number, Kind[]>();
  for (const { kind, event } of seen) groups.set(event.id, [...(groups.get(event.id) ?? []), kind]);
  return groups;
}

test('a task that fails has its error; one that never began is not started', async (t) => {
  const pool = poolFor(t, { maxQueue: 1 });
  const failed = await noting(() => caught(pool.run('x', { name: 'fail' })));
  assert.deepEqual(kindsOf(failed), [...FAILED]);
  const { error } = failed[0]?.event ?? {};
  assert.equal((error as Error).message, 'x');
  const cancelled = await noting(async () => {
    const shared = new Int32Array(new SharedArrayBuffer(4));
    const running = pool.run({ shared, bit: 0 }, { name: 'markAndWait' });
    const waiting = caught(pool.run(1, { name: 'echo', timeout: 1 }));
    await caught(pool.run(1, { name: 'echo' }));
    await waiting;
    await until(() => Atomics.load(shared, 0) === 1);
    Atomics.store(shared, 0, 0);
    await running;
  });
  const kinds = (name: string) => kindsOf(cancelled.filter(({ event }) => event.name === name));
  assert.deepEqual(kinds('markAndWait'), [...KINDS]);
  assert.deepEqual(kinds('echo').sort(), [...NOT_BEGUN, ...NOT_BEGUN].sort(), 'one was refused');
  const codes = cancelled.map(({ event }) => (event.error as { code?: string } | undefined)?.code);
  assert.ok(codes.includes('PLIMSOLL_POOL_QUEUE_FULL') && codes.includes('PLIMSOLL_POOL_TIMEOUT'));
});

test('a task whose worker dies or is killed was started, and is settled once', async (t) => {
  const pool = poolFor(t);
  const died = await noting(() => caught(pool.run(3, { name: 'exit' })));
  assert.deepEqual(kindsOf(died), [...FAILED]);
  const shared = new Int32Array(new SharedArrayBuffer(4));
  const killed = await noting(async () => {
    const controller = new AbortController();
    const running = caught(pool.run(shared, { name: 'blockForever', signal: controller.signal }));
    // Without a turn of the event loop in which the host would hear of it.
    while (Atomics.load(shared, 0) === 0);
    controller.abort();
    await running;
  });
  assert.deepEqual(kindsOf(killed), [...FAILED]);
});

async function all(items: AsyncIterable<unknown>): Promise<unknown[]> {
  const found: unknown[] = [];
  for await (const item of items) found.push(item);
  return found;
}

test('each task of a map has its events', async (t) => {
  const pool = poolFor(t, { maxThreads: 2 });
  const items = Array.from({ length: 50 }, (_, item) => item);
  const seen = await noting(async () => {
    assert.deepEqual(await all(pool.map(items, { name: 'echo', concurrency: 4 })), items);
  });
  const byTask = group(seen);
  assert.equal(byTask.size, 50);
  for (const kinds of byTask.values()) assert.deepEqual(kinds, [...KINDS]);
  const failed = await noting(() => caught(all(pool.map(['x'], { name: 'fail' }))));
  assert.deepEqual(kindsOf(failed), [...FAILED]);
  assert.equal((failed[0]?.event.error as Error | undefined)?.message, 'x');
});

test('a task of a map that is refused is not started', async (t) => {
  const pool = poolFor(t, { maxQueue: 0 });
  const seen = await noting(() => caught(all(pool.map([1, 2, 3], { name: 'echo', concurrency: 3 }))));
  const kinds = [...group(seen).values()].map((kinds) => kinds.join());
  assert.ok(kinds.includes(NOT_BEGUN.join()), kinds.join(' '));
  assert.ok(kinds.includes(KINDS.join()), kinds.join(' '));
});

test('a stream is one task: settled when it is over, however it ends', async (t) => {
  const pool = poolFor(t, { filename: fixture('streams.mjs') });
  // Who reads a stream may hear of its end before the worker has closed it.
  const closed = (run: () => Promise<unknown>) =>
    noting(async (seen) => {
      await run();
      await until(() => seen.some(({ kind }) => kind === 'asyncEnd'));
    });
  const isOne = (seen: readonly Seen[]) => {
    const [first] = seen;
    assert.deepEqual(kindsOf(seen), [...('error' in (first?.event ?? {}) ? FAILED : KINDS)]);
    for (const { event } of seen) assert.equal(event, first?.event);
    return first?.event as TaskEvent;
  };
  const whole = isOne(await closed(() => all(pool.stream(40, { name: 'count' }))));
  assert.equal(whole.name, 'count');
  assert.equal('error' in whole, false);
  const broken = await closed(async () => {
    for await (const item of pool.stream(1e6, { name: 'later' })) if (item === 3) break;
  });
  assert.equal('error' in isOne(broken), false, 'to break out of it is no failure');
  const failed = isOne(await closed(() => caught(all(pool.stream(3, { name: 'throws' })))));
  assert.equal((failed.error as { code?: string }).code, 'E_MIDDLE');
  const atOnce = isOne(await closed(() => caught(all(pool.stream(3, { name: 'failsAtOnce' })))));
  assert.equal((atOnce.error as Error).message, 'at once');
  const controller = new AbortController();
  const aborted = await closed(() =>
    caught(
      (async () => {
        for await (const item of pool.stream(1e6, { name: 'count', signal: controller.signal }))
          if (item === 3) controller.abort();
      })(),
    ),
  );
  assert.equal((isOne(aborted).error as { code?: string }).code, 'PLIMSOLL_POOL_ABORTED');
  const died = isOne(await closed(() => caught(all(pool.stream({ at: 2, how: 'exit' }, { name: 'dies' })))));
  assert.equal((died.error as { code?: string }).code, 'PLIMSOLL_POOL_WORKER_EXITED');
});

test('without subscribers tasks are plain, before and after there were some', async (t) => {
  const pool = poolFor(t);
  await pool.run(1, { name: 'echo' });
  assert.deepEqual(callsOf(pool), [0, 0]);
  await noting(() => pool.run(1, { name: 'echo' }));
  assert.equal(callsOf(pool).length, 3, 'with a subscriber of started there is one of another kind');
  await pool.run(1, { name: 'thread' });
  assert.equal(callsOf(pool).at(-1), 0);
});

test('without a subscriber of started no worker has to tell', async (t) => {
  const pool = poolFor(t);
  const seen = await noting(() => pool.run(1, { name: 'echo' }), ['start', 'asyncEnd']);
  assert.deepEqual(kindsOf(seen), ['start', 'asyncEnd']);
  assert.equal(seen[0]?.event.startedAt, undefined);
  assert.deepEqual(callsOf(pool), [0, 0]);
});

const POOL = new URL('../dist/index.js', import.meta.url).href;
const PROGRAM = `
import { subscribe } from 'node:diagnostics_channel';
import { setImmediate } from 'node:timers/promises';
import { Pool } from ${JSON.stringify(POOL)};
const uncaught = [];
process.on('uncaughtException', (error) => uncaught.push(error.message));
for (const [kind, name] of ${JSON.stringify(KINDS.map((kind) => [kind, nameOf(kind)]))})
  subscribe(name, () => {
    throw new Error(kind);
  });
const pool = new Pool({ filename: ${JSON.stringify(fixture('tasks.mjs').href)}, maxThreads: 1 });
const results = [await pool.run(1, { name: 'echo' }), await pool.run(2, { name: 'echo' })];
await pool.close();
await setImmediate();
console.log(JSON.stringify({ results, uncaught }));
`;

test('a subscriber that throws is an uncaught error, and tasks end as they would', () => {
  const child = spawnSync(process.execPath, ['--input-type=module', '--eval', PROGRAM], {
    encoding: 'utf8',
    timeout: 60_000,
  });
  assert.equal(child.stderr, '');
  assert.deepEqual(JSON.parse(child.stdout), { results: [1, 2], uncaught: [...KINDS, ...KINDS] });
});
