import { once } from 'node:events';
import type { Worker } from 'node:worker_threads';
import { FixedThreadPool, PoolEvents, type PoolOptions, WorkerChoiceStrategies } from 'poolifier';
import type { Driver, Open } from '../driver.js';
import { workerFile } from '../files.js';
import { absent, lack } from '../names.js';
import { none, type Outcome, type Probes } from '../outcome.js';
import { fateOf, runsElsewhere, said } from '../scenarios/absence.js';
import { learnsNothing, oneArgument } from '../scenarios/calls.js';
import * as cancellation from '../scenarios/cancellation.js';
import * as context from '../scenarios/context.js';
import * as faults from '../scenarios/faults.js';
import * as insight from '../scenarios/insight.js';
import { map } from '../scenarios/map.js';
import * as streams from '../scenarios/streams.js';
import { proxyTypes } from '../scenarios/types.js';
import * as workers from '../scenarios/workers.js';
import { CAVEATS } from './caveats.js';
import { PATTERNS } from './patterns.js';

type Options = PoolOptions<Worker>;
type PoolifierPool = FixedThreadPool<unknown, unknown>;

/** With its queue on: without it there is nothing that waits. */
const make = (threads: number, worker = 'poolifier', options?: Options): PoolifierPool =>
  new FixedThreadPool<unknown, unknown>(threads, workerFile(worker), {
    enableTasksQueue: true,
    tasksQueueOptions: { concurrency: 1 },
    errorHandler: () => {},
    ...options,
  });

const driverOf = (pool: PoolifierPool): Driver => ({
  submit: (name, value) => pool.execute(value, name),
  cancellable: (name, value, signal) => pool.execute(value, name, signal),
  limited: (name, value, ms) => pool.execute(value, name, AbortSignal.timeout(ms)),
  queued: () => pool.info.queuedTasks ?? 0,
  close: () => pool.destroy(),
});

const open: Open<Options> = (threads, worker, options) => driverOf(make(threads, worker, options));

const lacks = (pattern: RegExp, known: readonly string[], tried: () => Promise<string>): Promise<Outcome> =>
  absent('poolifier', pattern, known, tried);

/** Functions that are bound to a worker each; where they belong is known as soon as the workers are ready. */
async function bound(): Promise<PoolifierPool> {
  const pool = make(3, 'poolifier-bound', {
    tasksQueueOptions: { concurrency: 1, taskStealing: false, tasksStealingOnBackPressure: false },
  });
  await readyOf(pool);
  return pool;
}

const readyOf = (pool: PoolifierPool): Promise<unknown> => once(pool.emitter as never, PoolEvents.ready);

/** What comes of a generator, and of a stream. */
const noStream = async (): Promise<Outcome> => {
  const pool = make(1);
  return none(
    await fateOf('a generator', () => pool.execute(3, 'numbers')),
    await fateOf('a ReadableStream', () => pool.execute(3, 'readable')),
    'results cannot be transferred',
  );
};

export const probes: Probes = {
  'abort-waiting': () => cancellation.abortWaiting(open),
  'running-signal': async () => none(await learnsNothing(open(1), 'poolifier')),
  'loop-abort': async () =>
    none(await learnsNothing(open(1), 'poolifier'), await cancellation.fateOfLoop(open)),
  'abort-one-worker': () => cancellation.abortOneWorker(open, 'pace'),
  grace: () => lacks(PATTERNS.grace, [], () => cancellation.fateOfLoop(open)),
  deadline: () => cancellation.deadline(open, 'pace'),
  proxy: () => lacks(PATTERNS.proxy, [], () => oneArgument(open(1))),
  'proxy-types': () =>
    proxyTypes(
      `import { FixedThreadPool } from 'poolifier';\nconst api = new FixedThreadPool<typeof import('./module.js')>(1, '');`,
    ),
  'stream-out': noStream,
  'stream-back-pressure': noStream,
  'stream-break': noStream,
  'stream-in': () => {
    const pool = make(1);
    return streams.streamIn({
      asyncIterable: (source) => make(1).execute(source, 'sum'),
      readableStream: (source) => pool.execute(source, 'sum', undefined, [source as never]),
      lazy: (source) => pool.execute(source, 'firstOf', undefined, [source as never]),
    });
  },
  map: () => {
    const pool = make(2);
    return map((source) => pool.mapExecute(source as Iterable<string>, 'mark'));
  },
  'store-after': () => context.storeAfter(open),
  'store-in-worker': () =>
    lacks(/storage|storeContext|contextual/i, [], () => said(context.storeInWorker(open))),
  'task-events': () => context.taskEvents(open, 'poolifier'),
  spans: () => lacks(PATTERNS.spans, [], () => insight.undocumented('poolifier', 'OpenTelemetry')),
  'setup-dispose': () => workers.setupDispose(open(1), 1),
  ready: () => {
    const pool = make(2, 'poolifier-slow');
    return workers.ready(2, "the event 'ready'", () => readyOf(pool));
  },
  broadcast: async () => {
    const no = await lack('poolifier', PATTERNS.broadcast);
    const pool = await bound();
    return workers.reachEach(3, (index) => pool.execute(1, `worker${index}`), CAVEATS.functionEach, no);
  },
  'sticky-key': async () => {
    const pool = await bound();
    return workers.stickyKey({
      run: (key) => pool.execute(1, key),
      hold: (index) => pool.execute(1, `hold${index}`),
      caveat: CAVEATS.functionOfKey,
    });
  },
  resize: () =>
    lacks(PATTERNS.resize, [], async () => {
      const pool = make(2);
      return said(
        workers.resize(driverOf(pool), (threads) =>
          Object.assign(pool, { minimumNumberOfWorkers: threads, maximumNumberOfWorkers: threads }),
        ),
      );
    }),
  'recycle-tasks': () => lacks(PATTERNS.recycleTasks, [], () => said(workers.recycleTasks(open(1), 3))),
  'recycle-heap': () => lacks(PATTERNS.recycleHeap, [], () => said(workers.recycleHeap(open(1)))),
  'recycle-first': () =>
    lacks(PATTERNS.recycle, [], () => {
      const pool = open(1, 'poolifier-slow');
      return said(workers.recycleFirst(pool, () => pool.submit('mark', 'task')));
    }),
  retry: () =>
    lacks(PATTERNS.retry, ['strategyRetries', 'retriesCount', 'retries', 'getStrategyRetries'], () => {
      const pool = open(1);
      return said(faults.retry((label, times) => pool.submit('mortal', { label, times })));
    }),
  breaker: () => faults.breaker(() => open(2, 'boot-fails'), /exit|code/i),
  explain: () => {
    const pool = make(1, undefined, {
      workerChoiceStrategy: WorkerChoiceStrategies.LEAST_BUSY,
    });
    return insight.explain(driverOf(pool), () => {
      const { info } = pool;
      const phases = (['runTime', 'waitTime'] as const).filter((name) => (info[name]?.maximum ?? 0) > 0);
      return { phases, whole: info };
    });
  },
  prometheus: () => lacks(PATTERNS.prometheus, [], () => insight.undocumented('poolifier', 'Prometheus')),
  'in-process': () => lacks(PATTERNS.inProcess, [], () => runsElsewhere(open(1))),
  'fault-injection': () =>
    lacks(PATTERNS.faults, [], () => insight.undocumented('poolifier', 'fault injection')),
};
