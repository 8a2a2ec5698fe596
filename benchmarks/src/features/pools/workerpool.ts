import { pool as create, type Pool, type WorkerPoolOptions } from 'workerpool';
import type { Driver, Open } from '../driver.js';
import { workerFile } from '../files.js';
import { absent, declared } from '../names.js';
import type { Outcome, Probes } from '../outcome.js';
import { fateOf, runsAnywhere, runsElsewhere, said } from '../scenarios/absence.js';
import * as calls from '../scenarios/calls.js';
import * as cancellation from '../scenarios/cancellation.js';
import * as context from '../scenarios/context.js';
import * as faults from '../scenarios/faults.js';
import * as insight from '../scenarios/insight.js';
import * as streams from '../scenarios/streams.js';
import { proxyTypes } from '../scenarios/types.js';
import * as workers from '../scenarios/workers.js';
import { CAVEATS } from './caveats.js';
import { PATTERNS } from './patterns.js';

/** How long a worker has to end its task, and then to end itself. */
const TERMINATE_MS = 400;

const make = (threads: number, worker = 'workerpool', options?: WorkerPoolOptions): Pool =>
  create(workerFile(worker), {
    workerType: 'thread',
    minWorkers: threads,
    maxWorkers: threads,
    workerTerminateTimeout: TERMINATE_MS,
    ...options,
  });

const driverOf = (pool: Pool): Driver => ({
  submit: (name, value) => pool.exec(name, [value]) as never,
  cancellable: (name, value, signal) => {
    const promise = pool.exec(name, [value]);
    signal.addEventListener('abort', () => promise.cancel());
    return promise as never;
  },
  limited: (name, value, ms) => pool.exec(name, [value]).timeout(ms) as never,
  queued: () => pool.stats().pendingTasks,
  close: () => pool.terminate() as never,
});

const open: Open<WorkerPoolOptions> = (threads, worker, options) => driverOf(make(threads, worker, options));

const lacks = (pattern: RegExp, known: readonly string[], tried: () => Promise<string>): Promise<Outcome> =>
  absent('workerpool', pattern, known, tried);

const openStream: streams.OpenStream = (count) => make(1).exec('transferred', [count]) as never;

export const probes: Probes = {
  'abort-waiting': () => cancellation.abortWaiting(open),
  'running-signal': () => calls.runningSignal(open(1), 'tidy', false),
  'loop-abort': () => calls.loopAbort(open(1), 'loop'),
  'abort-one-worker': () => cancellation.abortOneWorker(open),
  grace: () => cancellation.grace(open, 'tidy'),
  deadline: () => cancellation.deadline(open),
  proxy: async () => {
    const api = (await make(1).proxy()) as Record<string, (...args: unknown[]) => PromiseLike<unknown>>;
    return calls.proxy((...args) => (api.received as typeof api.received & object)(...args));
  },
  'proxy-types': () =>
    proxyTypes(
      `import { pool } from 'workerpool';\nconst api = await pool('').proxy<typeof import('./module.js')>();`,
    ),
  'stream-out': async () => {
    const plain = await fateOf('a generator', () => open(1).submit('numbers', 3));
    return streams.streamOut(openStream, `${CAVEATS.transferred} (${plain})`);
  },
  'stream-back-pressure': () => streams.streamBackPressure(openStream, CAVEATS.transferred),
  'stream-break': () => streams.streamBreak(openStream, CAVEATS.transferred),
  'stream-in': () => {
    const pool = make(1);
    return streams.streamIn({
      asyncIterable: (source) => make(1).exec('sum', [source]) as never,
      readableStream: (source) => pool.exec('sum', [source], { transfer: [source] }) as never,
      lazy: (source) => pool.exec('firstOf', [source], { transfer: [source] }) as never,
    });
  },
  map: () =>
    lacks(PATTERNS.map, [], () =>
      fateOf('an iterable as a task', () => open(1).submit('where', [1].values())),
    ),
  'store-after': () => context.storeAfter(open),
  'store-in-worker': () => lacks(/context|storage/i, [], () => said(context.storeInWorker(open))),
  'task-events': () => context.taskEvents(open, 'workerpool'),
  spans: () => lacks(PATTERNS.spans, ['spanws'], () => insight.undocumented('workerpool', 'OpenTelemetry')),
  'setup-dispose': () => workers.setupDispose(open(1), 1),
  ready: () =>
    lacks(/ready|online|^start/i, ['starting'], async () => {
      const created = { count: 0 };
      const pool = make(2, 'workerpool-slow', {
        onCreateWorker: () => {
          created.count++;
          return undefined;
        },
      });
      return said(workers.ready(2, `${created.count} calls of \`onCreateWorker\``, async () => pool));
    }),
  broadcast: () => lacks(PATTERNS.broadcast, [], () => runsAnywhere(open(3), 3)),
  'sticky-key': () =>
    lacks(/sticky|affinity|workerKey|balancer/i, [], () => {
      const pool = open(3);
      return said(
        workers.stickyKey({
          run: (key) => pool.submit('markKey', { key }),
          hold: () => pool.submit('holdAll'),
        }),
      );
    }),
  resize: () => {
    declared('workerpool', /readonly maxWorkers/);
    const pool = make(2);
    return workers.resize(
      driverOf(pool),
      (threads) => Object.assign(pool, { minWorkers: threads, maxWorkers: threads }),
      CAVEATS.readOnly,
    );
  },
  'recycle-tasks': () => lacks(PATTERNS.recycleTasks, [], () => said(workers.recycleTasks(open(1), 3))),
  'recycle-heap': () => lacks(PATTERNS.recycleHeap, [], () => said(workers.recycleHeap(open(1)))),
  'recycle-first': () =>
    lacks(PATTERNS.recycle, [], () => {
      const pool = open(1, 'workerpool-slow');
      return said(workers.recycleFirst(pool, () => pool.submit('mark', 'task')));
    }),
  retry: () =>
    lacks(PATTERNS.retry, [], () => {
      const pool = open(1);
      return said(faults.retry((label, times) => pool.submit('mortal', { label, times })));
    }),
  breaker: () => faults.breaker(() => open(2, 'boot-fails'), /exit|code/i),
  explain: () =>
    lacks(PATTERNS.explain, [], async () => {
      const { activeTasks, pendingTasks, ...counts } = make(1).stats();
      return `\`stats()\` has counts only: ${Object.keys({ activeTasks, pendingTasks, ...counts }).join(', ')}`;
    }),
  prometheus: () => lacks(PATTERNS.prometheus, [], () => insight.undocumented('workerpool', 'Prometheus')),
  'in-process': () => lacks(PATTERNS.inProcess, [], () => runsElsewhere(open(1))),
  'fault-injection': () =>
    lacks(PATTERNS.faults, [], () => insight.undocumented('workerpool', 'fault injection')),
};
