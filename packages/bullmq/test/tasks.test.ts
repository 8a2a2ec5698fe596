import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { createTasks, LocalTasks, type Tasks } from '@plimsoll/bullmq';
import { observe } from '@plimsoll/pool/observe';
import {
  caught,
  fixture,
  folderFor,
  LONG,
  LONGER,
  linesOf,
  needsRedis,
  queueName,
  startRedis,
  until,
  within,
  wordFor,
  workerFor,
} from './support.js';

const redis = await startRedis();

/** What a promise ends as, without what differs by nature: threads, processes, times. */
const outcomeOf = (promise: Promise<unknown>): Promise<unknown> =>
  within(promise).then(
    (value) => ['fulfilled', value],
    (error: unknown) => {
      if (!(error instanceof Error)) return ['rejected', error];
      const { name, message, code, path, cause } = error as Error & Record<string, unknown>;
      return ['rejected', { name, message, code, path, cause }];
    },
  );

async function all(results: AsyncIterable<unknown>): Promise<unknown[]> {
  const values: unknown[] = [];
  for await (const value of results) values.push(value);
  return values;
}

interface Place {
  readonly tasks: Tasks;
  readonly file: string;
  readonly word: ReturnType<typeof wordFor>;
}
const begun = (file: string): Promise<void> => until(() => existsSync(file), 'the start of a task');

/** What is done with tasks of either kind, and what comes of it. */
const PROGRAMS: Record<string, (place: Place) => Promise<unknown>> = {
  'run() with and without a name': async ({ tasks }) => [
    await tasks.run(2),
    await tasks.run({ a: 1, b: 2 }, { name: 'add' }),
    await tasks.run(2, { name: null }),
  ],
  'values of every kind': ({ tasks }) =>
    tasks.run([new Map([[1, new Set(['a'])]]), new Date(1), -0, undefined, 5n, /a/g], { name: 'echo' }),
  'proxy()': async ({ tasks }) => {
    const proxy = tasks.proxy();
    // Whom `await` or `JSON.stringify` calls.
    const probes = proxy as { then?: unknown; toJSON?: unknown };
    return [await proxy.sum?.(1, 2, 3), await proxy.sum?.(), probes.then, probes.toJSON];
  },
  'map()': async ({ tasks }) => [
    await all(tasks.map([1, 2, 3])),
    await all(tasks.map([1, 2, 3], { concurrency: 1, ordered: false })),
    await outcomeOf(all(tasks.map(['own'], { name: 'fail' }))),
  ],
  'break out of map()': async ({ tasks, file }) => {
    let closed = 0;
    function* source(): Generator<object> {
      try {
        for (let value = 0; ; value++) yield { file, ms: 5, value };
      } finally {
        closed++;
      }
    }
    for await (const value of tasks.map(source(), { name: 'noted', concurrency: 2 })) {
      if (value === 1) break;
    }
    return closed;
  },
  'errors that tasks throw': ({ tasks }) =>
    Promise.all(
      ['own', 'text', 'nothing', 'dom', 'getter'].flatMap((kind) =>
        ['fail', 'reject'].map((name) => outcomeOf(tasks.run(kind, { name }))),
      ),
    ),
  'what cannot be copied': ({ tasks }) =>
    Promise.all(
      [tasks.run({ a: () => {} }, { name: 'echo' }), tasks.run('symbol', { name: 'uncloneable' })].map(
        async (task) => {
          const [state, { code, path }] = (await outcomeOf(task)) as [string, { code: string; path: string }];
          return [state, code, path];
        },
      ),
    ),
  timeout: async ({ tasks, file }) => {
    const outcome = await outcomeOf(
      tasks.run({ file, ms: LONGER, value: 1 }, { name: 'noted', timeout: 1500 }),
    );
    return [outcome, await tasks.run(1), linesOf(file).includes('end 1')];
  },
  abort: async ({ tasks, file }) => {
    const control = new AbortController();
    const running = outcomeOf(
      tasks.run({ file, ms: LONGER, value: 1 }, { name: 'noted', signal: control.signal }),
    );
    await begun(file);
    control.abort('why');
    const before = outcomeOf(tasks.run(1, { signal: AbortSignal.abort('before') }));
    return [await running, await before, await tasks.run(1), linesOf(file)];
  },
  grace: async ({ tasks, file }) => {
    const control = new AbortController();
    const options = { name: 'busy', signal: control.signal, grace: LONGER };
    const running = outcomeOf(tasks.run({ file, ms: LONGER }, options));
    await begun(file);
    control.abort();
    const [state] = (await running) as [string];
    await until(() => linesOf(file).length === 2, 'the end of the task');
    return [state, linesOf(file)];
  },
  'attempts, enough': async ({ tasks, file }) => [
    await tasks.run({ file, failures: 2 }, { name: 'flaky', attempts: 4 }),
    linesOf(file).length,
  ],
  'attempts, too few': async ({ tasks, file }) => [
    await outcomeOf(tasks.run({ file, failures: 9 }, { name: 'flaky', attempts: 3 })),
    linesOf(file).length,
  ],
  'a task that ends its thread': async ({ tasks }) => {
    const [state, { name, code }] = (await outcomeOf(tasks.run(3, { name: 'leave' }))) as [
      string,
      Error & { code: string },
    ];
    return [state, name, code, await tasks.run(1)];
  },
  'two of one jobId': async ({ tasks, file }) => {
    const options = { name: 'noted', jobId: 'the-id' };
    const task = { file, ms: 300, value: { deep: [1] } };
    const [one, two] = await Promise.all([tasks.run(task, options), tasks.run(task, options)]);
    return [one, two, linesOf(file).length, one === two];
  },
  'two of one jobId, one gives up': async ({ tasks, file, word }) => {
    const control = new AbortController();
    const options = { name: 'noted', jobId: 'given-up' };
    const task = { file, when: word.when, value: 1 };
    const kept = outcomeOf(tasks.run(task, options));
    const given = outcomeOf(tasks.run(task, { ...options, signal: control.signal }));
    await begun(file);
    control.abort('no time');
    const outcome = await given;
    word.give();
    return [outcome, await kept, linesOf(file)];
  },
  'the first of two of one jobId gives up': async ({ tasks, file, word }) => {
    const control = new AbortController();
    const options = { name: 'noted', jobId: 'first-given-up' };
    const task = { file, when: word.when, value: 1 };
    const given = outcomeOf(tasks.run(task, { ...options, signal: control.signal }));
    const kept = outcomeOf(tasks.run(task, options));
    await begun(file);
    control.abort('no time');
    const outcome = await given;
    word.give();
    return [outcome, await kept, linesOf(file)];
  },
  'all of one jobId give up': async ({ tasks, file }) => {
    const options = (): object => ({ name: 'noted', jobId: 'all-given-up', timeout: 1500 });
    const task = { file, ms: LONGER, value: 1 };
    const both = await Promise.all([
      outcomeOf(tasks.run(task, options())),
      outcomeOf(tasks.run(task, options())),
    ]);
    return [both, await tasks.run(1), linesOf(file).includes('end 1')];
  },
  'bad options': ({ tasks }) =>
    Promise.all(
      [{ timeout: -1 }, { priority: 'x' }, { attempts: 0 }, { jobId: '7' }, { name: 7 }].map((options) =>
        outcomeOf(tasks.run(1, options as never)),
      ),
    ),
  'close()': async ({ tasks }) => {
    const running = tasks.run({ ms: 200, value: 1 }, { name: 'later' });
    const closing = tasks.close();
    const [, { code }] = (await outcomeOf(tasks.run(1))) as [string, { code: string }];
    const value = await running;
    await closing;
    return [code, value, tasks.completed];
  },
};

const pool = { filename: fixture('tasks.mjs'), minThreads: 1, maxThreads: 1 };

for (const [name, program] of Object.entries(PROGRAMS)) {
  test(`${name}: the same on threads and on a fleet`, needsRedis, async (t) => {
    const queue = queueName();
    await workerFor(t, redis.url, { queue });
    const remote = createTasks({ ...pool, fleet: { queue, connection: redis.url, offlineTimeout: LONG } });
    const local = createTasks({ ...pool, fleet: '' });
    t.after(() => Promise.all([local.close(), remote.close()]));
    assert.deepEqual([local.kind, remote.kind], ['threads', 'fleet']);
    await Promise.all([local.ready(), remote.ready()]);
    const folder = folderFor(t);
    const [here, there] = await Promise.all([
      program({ tasks: local, file: join(folder, 'local'), word: wordFor(t) }),
      program({ tasks: remote, file: join(folder, 'remote'), word: wordFor(t) }),
    ]);
    assert.deepStrictEqual(there, here);
  });
}

test('what the pool refuses is not tried again, and does not hide what the task has thrown', async (t) => {
  const file = join(folderFor(t), 'flaky');
  const tasks = createTasks({ ...pool, maxQueue: 0 }) as LocalTasks;
  t.after(() => tasks.close());
  await tasks.ready();
  const refused = (): string | undefined =>
    /task_refused_total (\d+)/.exec(observe(tasks.pool).prometheusMetrics())?.[1];
  const thrown = caught(tasks.run({ file, failures: 9 }, { name: 'flaky', attempts: 5 }));
  const { code } = await caught(tasks.run(1, { attempts: 5 }));
  assert.deepEqual([code, refused()], ['PLIMSOLL_POOL_QUEUE_FULL', '1']);
  await tasks.close();
  assert.equal((await thrown).message, 'call 1 fails');
  assert.deepEqual([linesOf(file).length, refused()], [1, '2']);
});

test('anything that is no object as fleet means threads', async () => {
  for (const fleet of ['', false, null, undefined] as const) {
    await using tasks = createTasks({ ...pool, fleet });
    assert.ok(tasks instanceof LocalTasks);
    assert.equal(await tasks.run(2), 4);
  }
});

test('a bad option of either kind is thrown', () => {
  const code = 'PLIMSOLL_POOL_BAD_OPTION';
  assert.throws(() => createTasks({ ...pool, maxThreads: -1 }), { code });
  assert.throws(() => createTasks({ ...pool, fleet: { queue: '' } }), { code });
});
