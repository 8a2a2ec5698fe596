import { Worker, type WorkerFarmOptions } from 'jest-worker';
import type { Driver, Open } from '../driver.js';
import { workerFile } from '../files.js';
import { absent, lack } from '../names.js';
import { none, type Outcome, type Probes } from '../outcome.js';
import { fateOf, runsElsewhere, said } from '../scenarios/absence.js';
import * as calls from '../scenarios/calls.js';
import * as context from '../scenarios/context.js';
import * as faults from '../scenarios/faults.js';
import * as insight from '../scenarios/insight.js';
import * as streams from '../scenarios/streams.js';
import { proxyTypes } from '../scenarios/types.js';
import * as workers from '../scenarios/workers.js';
import * as tasks from '../tasks.js';
import { CAVEATS } from './caveats.js';
import { PATTERNS } from './patterns.js';

type Farm = Worker & Record<string, (...args: unknown[]) => Promise<unknown>>;

/** Listed, because it finds them out by `require`, which cannot load an ES module on every line of Node. */
const METHODS = Object.entries(tasks).flatMap(([name, value]) => (typeof value === 'function' ? [name] : []));

const make = (threads: number, worker?: string, options?: WorkerFarmOptions): Farm =>
  new Worker(workerFile(worker), {
    enableWorkerThreads: true,
    numWorkers: threads,
    exposedMethods: METHODS,
    ...options,
  }) as Farm;

const call = (farm: Farm, name: string, ...args: unknown[]): Promise<unknown> => {
  const method = farm[name];
  if (method === undefined) return Promise.reject(new Error(`there is no method ${name}`));
  return method(...args);
};

const driverOf = (farm: Farm): Driver => ({
  submit: (name, value) => call(farm, name, value),
  close: () => farm.end(),
});

const open: Open<WorkerFarmOptions> = (threads, worker, options) => driverOf(make(threads, worker, options));

const lacks = (pattern: RegExp, known: readonly string[], tried: () => Promise<string>): Promise<Outcome> =>
  absent('jest-worker', pattern, known, tried);

const noAbort = (...more: (() => Promise<string>)[]) =>
  lacks(/abort|cancel|signal|timeout|deadline|grace/i, ['workerGracefulExitTimeout'], async () => {
    const { signal } = new AbortController();
    const given = await fateOf('a signal as an argument', () => call(make(1), 'received', signal));
    return [given, ...(await Promise.all(more.map((one) => one())))].join('; ');
  });

const noStream = async (): Promise<Outcome> =>
  none(
    await fateOf('a generator', () => call(make(1), 'numbers', 3)),
    await fateOf('a ReadableStream', () => call(make(1), 'readable', 3)),
    'nothing can be transferred',
  );

/** The first argument is the key. */
const byKey = (): Farm =>
  make(3, undefined, { computeWorkerKey: (_method, task) => (task as { key: string | null }).key });

export const probes: Probes = {
  'abort-waiting': () => noAbort(),
  'running-signal': () => noAbort(() => calls.learnsNothing(open(1), 'jest-worker')),
  'loop-abort': () => noAbort(() => calls.learnsNothing(open(1), 'jest-worker')),
  'abort-one-worker': () => noAbort(),
  grace: () => noAbort(),
  deadline: () => noAbort(),
  proxy: () => {
    const farm = make(1);
    return calls.proxy((...args) => call(farm, 'received', ...args));
  },
  'proxy-types': () =>
    proxyTypes(
      `import { Worker, type JestWorkerFarm } from 'jest-worker';\nconst api = new Worker('/') as JestWorkerFarm<typeof import('./module.js')>;`,
    ),
  'stream-out': noStream,
  'stream-back-pressure': noStream,
  'stream-break': noStream,
  'stream-in': () => {
    const farm = make(1);
    return streams.streamIn({
      asyncIterable: (source) => call(make(1), 'sum', source),
      readableStream: (source) => call(farm, 'sum', source),
      lazy: (source) => call(make(1), 'firstOf', source),
    });
  },
  map: () =>
    lacks(PATTERNS.map, [], () =>
      fateOf('an iterable as a task', () => open(1).submit('where', [1].values())),
    ),
  'store-after': () => context.storeAfter(open),
  'store-in-worker': () => lacks(/context|storage/i, [], () => said(context.storeInWorker(open))),
  'task-events': () => context.taskEvents(open, 'jest-worker'),
  spans: () => lacks(PATTERNS.spans, [], () => insight.undocumented('jest-worker', 'OpenTelemetry')),
  'setup-dispose': () => workers.setupDispose(open(1, 'exported-hooks'), 1),
  ready: () => {
    const farm = make(2, 'slow-tasks');
    return workers.ready(2, '`start()`', () => farm.start());
  },
  broadcast: async () => {
    const no = await lack('jest-worker', PATTERNS.broadcast);
    const farm = byKey();
    return workers.reachEach(3, (index) => call(farm, 'markEach', { key: `${index}` }), CAVEATS.keyEach, no);
  },
  'sticky-key': () => {
    const farm = byKey();
    return workers.stickyKey({
      run: (key) => call(farm, 'markKey', { key }),
      hold: () => call(farm, 'holdAll', { key: null }),
    });
  },
  resize: () =>
    lacks(PATTERNS.resize, [], async () => {
      const farm = make(2);
      return said(workers.resize(driverOf(farm), (threads) => Object.assign(farm, { numWorkers: threads })));
    }),
  'recycle-tasks': () => lacks(PATTERNS.recycleTasks, [], () => said(workers.recycleTasks(open(1), 3))),
  'recycle-heap': () => workers.recycleHeap(open(1, undefined, { idleMemoryLimit: 40 * 1024 * 1024 })),
  'recycle-first': () => {
    const farm = make(1, 'slow-tasks', { idleMemoryLimit: 40 * 1024 * 1024 });
    return workers.recycleFirst(driverOf(farm), (index) =>
      index === 3 ? call(farm, 'grow', 60) : call(farm, 'mark', 'task'),
    );
  },
  retry: () => {
    const pool = open(1, undefined, { maxRetries: 3 });
    return faults.retry((label, times) => pool.submit('mortal', { label, times }));
  },
  breaker: () => faults.breaker(() => open(2, 'boot-fails'), /exit|code/i),
  explain: () => lacks(PATTERNS.explain, [], () => insight.undocumented('jest-worker', 'histogram')),
  prometheus: () => lacks(PATTERNS.prometheus, [], () => insight.undocumented('jest-worker', 'Prometheus')),
  'in-process': () => lacks(PATTERNS.inProcess, [], () => runsElsewhere(open(1))),
  'fault-injection': () =>
    lacks(PATTERNS.faults, [], () => insight.undocumented('jest-worker', 'fault injection')),
};
