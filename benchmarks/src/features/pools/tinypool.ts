import Tinypool from 'tinypool';
import type { Driver, Open } from '../driver.js';
import { workerFile } from '../files.js';
import { absent, lack } from '../names.js';
import { none, type Outcome, type Probes } from '../outcome.js';
import { fateOf, runsAnywhere, runsElsewhere, said } from '../scenarios/absence.js';
import { learnsNothing, oneArgument } from '../scenarios/calls.js';
import * as cancellation from '../scenarios/cancellation.js';
import * as context from '../scenarios/context.js';
import * as faults from '../scenarios/faults.js';
import * as insight from '../scenarios/insight.js';
import * as streams from '../scenarios/streams.js';
import { endedByHand } from '../scenarios/testing.js';
import { proxyTypes } from '../scenarios/types.js';
import * as workers from '../scenarios/workers.js';
import { CAVEATS } from './caveats.js';
import { PATTERNS } from './patterns.js';

type Options = NonNullable<ConstructorParameters<typeof Tinypool>[0]>;

function make(threads: number, worker?: string, options?: Options): Tinypool {
  const size = { minThreads: threads, maxThreads: threads };
  const pool = new Tinypool({ runtime: 'worker_threads', filename: workerFile(worker), ...size, ...options });
  return pool.on('error', () => {});
}

const driverOf = (pool: Tinypool): Driver => ({
  submit: (name, value) => pool.run(value, { name }),
  cancellable: (name, value, signal) => pool.run(value, { name, signal }),
  limited: (name, value, ms) => pool.run(value, { name, signal: AbortSignal.timeout(ms) }),
  queued: () => pool.queueSize,
  close: () => pool.destroy(),
});

const open: Open<Options> = (threads, worker, options) => driverOf(make(threads, worker, options));

const lacks = (pattern: RegExp, known: readonly string[], tried: () => Promise<string>): Promise<Outcome> =>
  absent('tinypool', pattern, known, tried);

/** Streams are moved between threads by Node; a worker that blocks between tasks does not serve them. */
const openStream =
  (options: Options = { useAtomics: false }): streams.OpenStream =>
  (count) =>
    make(1, 'tinypool-streams', options).run(count, { name: 'moved' });

export const probes: Probes = {
  'abort-waiting': () => cancellation.abortWaiting(open),
  'running-signal': async () => none(await learnsNothing(open(1), 'tinypool')),
  'loop-abort': async () =>
    none(await learnsNothing(open(1), 'tinypool'), await cancellation.fateOfLoop(open)),
  'abort-one-worker': () => cancellation.abortOneWorker(open),
  grace: () => lacks(PATTERNS.grace, ['terminateTimeout'], () => cancellation.fateOfLoop(open)),
  deadline: () => cancellation.deadline(open),
  proxy: () => lacks(PATTERNS.proxy, [], () => oneArgument(open(1))),
  'proxy-types': () =>
    proxyTypes(
      `import { Tinypool } from 'tinypool';\nconst api = new Tinypool<typeof import('./module.js')>();`,
    ),
  'stream-out': async () => {
    const plain = await fateOf('a generator', () => make(1).run(3, { name: 'numbers' }));
    const byDefault = (await streams.isServed(openStream({}))) ? [] : [CAVEATS.useAtomics];
    return streams.streamOut(openStream(), [`${CAVEATS.moved} (${plain})`, ...byDefault].join('; '));
  },
  'stream-back-pressure': () => streams.streamBackPressure(openStream(), CAVEATS.moved),
  'stream-break': () => streams.streamBreak(openStream(), CAVEATS.moved),
  'stream-in': () => {
    const pool = make(1);
    return streams.streamIn({
      asyncIterable: (source) => make(1).run(source, { name: 'sum' }),
      readableStream: (source) => pool.run(source, { name: 'sum', transferList: [source as never] }),
      lazy: (source) => pool.run(source, { name: 'firstOf', transferList: [source as never] }),
    });
  },
  map: () =>
    lacks(PATTERNS.map, [], () =>
      fateOf('an iterable as a task', () => open(1).submit('where', [1].values())),
    ),
  'store-after': () => context.storeAfter(open),
  'store-in-worker': () => lacks(/context|storage/i, [], () => said(context.storeInWorker(open))),
  'task-events': () => context.taskEvents(open, 'tinypool'),
  spans: () => lacks(PATTERNS.spans, [], () => insight.undocumented('tinypool', 'OpenTelemetry')),
  'setup-dispose': () => workers.setupDispose(open(1, 'exported-hooks', { teardown: 'teardown' }), 1),
  ready: () =>
    lacks(/ready|workerCreate|online|^start/i, ['ReadyMessage', 'ready', 'StartupMessage'], async () => {
      const pool = make(2, 'slow-tasks');
      return said(workers.ready(2, 'the constructor', async () => pool));
    }),
  broadcast: () => lacks(PATTERNS.broadcast, [], () => runsAnywhere(open(3), 3)),
  'sticky-key': () =>
    lacks(/sticky|affinity|key|balancer/i, [], () => {
      const pool = open(3);
      return said(
        workers.stickyKey({
          run: (key) => pool.submit('markKey', { key }),
          hold: () => pool.submit('holdAll'),
        }),
      );
    }),
  resize: () => {
    const pool = make(2);
    return workers.resize(driverOf(pool), (threads) =>
      Object.assign(pool, { minThreads: threads, maxThreads: threads }),
    );
  },
  'recycle-tasks': () => workers.recycleTasks(open(1, undefined, { isolateWorkers: true }), 3),
  'recycle-heap': () =>
    workers.recycleHeap(open(1, undefined, { maxMemoryLimitBeforeRecycle: 40 * 1024 * 1024 })),
  'recycle-first': () => {
    const pool = open(1, 'slow-tasks', { maxMemoryLimitBeforeRecycle: 40 * 1024 * 1024 });
    return workers.recycleFirst(pool, (index) =>
      index === 3 ? pool.submit('grow', 60) : pool.submit('mark', 'task'),
    );
  },
  retry: () =>
    lacks(PATTERNS.retry, [], () => {
      const pool = open(1);
      return said(faults.retry((label, times) => pool.submit('mortal', { label, times })));
    }),
  breaker: () => faults.breaker(() => open(2, 'boot-fails'), /exit|code/),
  explain: () => lacks(PATTERNS.explain, [], () => insight.undocumented('tinypool', 'histogram')),
  prometheus: () => lacks(PATTERNS.prometheus, [], () => insight.undocumented('tinypool', 'Prometheus')),
  'in-process': () => lacks(PATTERNS.inProcess, [], () => runsElsewhere(open(1))),
  'fault-injection': async () => {
    const no = await lack('tinypool', PATTERNS.faults);
    const pool = make(1);
    return endedByHand(driverOf(pool), () => pool.threads[0]?.terminate(), no);
  },
};
