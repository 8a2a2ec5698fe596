import { subscribe } from 'node:diagnostics_channel';
import { Pool, type PoolOptions } from '@plimsoll/pool';
import { observe } from '@plimsoll/pool/observe';
import type { TestPool, TestPoolOptions } from '@plimsoll/pool/testing';
import type { Driver, Open } from '../driver.js';
import { workerFile } from '../files.js';
import type { Probes } from '../outcome.js';
import * as calls from '../scenarios/calls.js';
import * as cancellation from '../scenarios/cancellation.js';
import * as context from '../scenarios/context.js';
import * as faults from '../scenarios/faults.js';
import * as insight from '../scenarios/insight.js';
import { map } from '../scenarios/map.js';
import { spans } from '../scenarios/spans.js';
import * as streams from '../scenarios/streams.js';
import * as testing from '../scenarios/testing.js';
import { proxyTypes } from '../scenarios/types.js';
import * as workers from '../scenarios/workers.js';
import { storage } from '../tasks.js';

const GRACE_MS = 400;

function make(threads: number, worker = 'plimsoll', options: PoolOptions = {}): Pool {
  const size = { minThreads: threads, maxThreads: threads };
  const pool = new Pool({ filename: workerFile(worker), ...size, ...options });
  return pool.on('error', () => {});
}

const driverOf = (pool: Pool, grace = GRACE_MS): Driver => ({
  submit: (name, value) => pool.run(value, { name }),
  cancellable: (name, value, signal) => pool.run(value, { name, signal, grace }),
  limited: (name, value, timeout) => pool.run(value, { name, timeout }),
  queued: () => pool.queueSize,
  close: () => pool.close(),
});

const open: Open<PoolOptions> = (threads, worker, options) => driverOf(make(threads, worker, options));

/** Loaded by the probes that use it only: it has the code of the pool once more. */
const testPool = async (options: TestPoolOptions): Promise<TestPool> => {
  const { TestPool } = await import('@plimsoll/pool/testing');
  return new TestPool({ filename: workerFile(), ...options });
};

const openStream: streams.OpenStream = (count) => make(1).stream(count, { name: 'numbers' });

/** Where one hears of what becomes of a task. */
const CHANNELS: Record<string, string> = {
  queued: 'tracing:plimsoll.pool.task:end',
  started: 'plimsoll.pool.task.started',
  settled: 'tracing:plimsoll.pool.task:asyncEnd',
};

export const probes: Probes = {
  'abort-waiting': () => cancellation.abortWaiting(open),
  'running-signal': () => calls.runningSignal(open(1), 'tidy', true),
  'loop-abort': () => calls.loopAbort(open(1), 'loop'),
  'abort-one-worker': () => cancellation.abortOneWorker(open),
  grace: () => cancellation.grace(open, 'tidy'),
  deadline: () => cancellation.deadline(open),
  proxy: () => {
    const api = make(1).proxy<{ received(...args: unknown[]): object }>();
    return calls.proxy((...args) => api.received(...args));
  },
  'proxy-types': () =>
    proxyTypes(
      `import { Pool } from '@plimsoll/pool';\nconst api = new Pool().proxy<typeof import('./module.js')>();`,
    ),
  'stream-out': () => streams.streamOut(openStream),
  'stream-back-pressure': () => streams.streamBackPressure(openStream),
  'stream-break': () => streams.streamBreak(openStream),
  'stream-in': () => {
    const pool = make(1);
    return streams.streamIn({
      asyncIterable: (source) => pool.run(source, { name: 'sum' }),
      readableStream: (source) => pool.run(source, { name: 'sum' }),
      lazy: (source) => pool.run(source, { name: 'firstOf' }),
    });
  },
  map: () => {
    const pool = make(2);
    return map((source, concurrency) => pool.map(source, { name: 'mark', concurrency }));
  },
  'store-after': () => context.storeAfter(open),
  'store-in-worker': () =>
    context.storeInWorker((threads) => open(threads, undefined, { context: { store: storage } })),
  'task-events': () => context.channelEvents(open, (name, told) => subscribe(CHANNELS[name] as string, told)),
  spans: () => spans((api) => open(1, 'traced', { openTelemetry: api })),
  'setup-dispose': () => workers.setupDispose(open(1, 'exported-hooks'), 1),
  ready: () => {
    const pool = make(2, 'slow-tasks');
    return workers.ready(2, '`pool.ready()`', () => pool.ready());
  },
  broadcast: async () => {
    const pool = make(3);
    await pool.ready();
    return workers.broadcast(3, () => pool.broadcast(undefined, { name: 'everywhere' }));
  },
  'sticky-key': () => {
    const pool = make(3);
    return workers.stickyKey({
      run: (key) => pool.run({ key }, { name: 'markKey', key }),
      hold: () => pool.run(null, { name: 'holdAll' }),
    });
  },
  resize: () => {
    const pool = make(2);
    return workers.resize(driverOf(pool), (threads) =>
      pool.resize({ minThreads: threads, maxThreads: threads }),
    );
  },
  'recycle-tasks': () => workers.recycleTasks(open(1, undefined, { maxTasksPerWorker: 3 }), 3),
  'recycle-heap': () => workers.recycleHeap(open(1, undefined, { maxHeapMb: 40 })),
  'recycle-first': () => {
    const pool = open(1, 'slow-tasks', { maxTasksPerWorker: 5 });
    return workers.recycleFirst(pool, () => pool.submit('mark', 'task'));
  },
  retry: () => {
    const pool = make(1, undefined, { retry: { max: 3, backoff: 10 } });
    return faults.retry((label, times) => pool.run({ label, times }, { name: 'mortal' }));
  },
  breaker: () =>
    faults.breaker(() => open(2, 'boot-fails', { breaker: { failures: 2, pause: 10_000 } }), /exit|code/i),
  explain: () => {
    const pool = make(1, undefined, { explain: true });
    const observer = observe(pool);
    return insight.explain(driverOf(pool), () => {
      const whole = observer.explain();
      return { phases: Object.keys(whole.tasks[0]?.phases ?? {}), whole };
    });
  },
  prometheus: () => {
    const pool = make(1);
    return insight.prometheus(driverOf(pool), () => observe(pool).prometheusMetrics());
  },
  'in-process': () =>
    testing.inProcess(async (seed) => driverOf(await testPool({ minThreads: 2, maxThreads: 2, seed }))),
  'fault-injection': async () => {
    const pool = await testPool({ minThreads: 1, maxThreads: 1 });
    return testing.injected(driverOf(pool), (kind, name, nth) => pool.inject({ kind, name, nth }));
  },
};
