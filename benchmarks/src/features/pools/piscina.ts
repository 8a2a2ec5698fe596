import { Piscina, type queueOptionsSymbol } from 'piscina';
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
import * as streams from '../scenarios/streams.js';
import { endedByHand } from '../scenarios/testing.js';
import { proxyTypes } from '../scenarios/types.js';
import * as workers from '../scenarios/workers.js';
import { until } from '../time.js';
import { CAVEATS } from './caveats.js';
import { PATTERNS } from './patterns.js';

type Options = NonNullable<ConstructorParameters<typeof Piscina>[0]>;

function make(threads: number, worker?: string, options?: Options): Piscina {
  const size = { minThreads: threads, maxThreads: threads };
  const pool = new Piscina({ filename: workerFile(worker), ...size, ...options });
  return pool.on('error', () => {});
}

const driverOf = (pool: Piscina): Driver => ({
  submit: (name, value) => pool.run(value, { name }),
  cancellable: (name, value, signal) => pool.run(value, { name, signal }),
  limited: (name, value, ms) => pool.run(value, { name, signal: AbortSignal.timeout(ms) }),
  queued: () => pool.queueSize,
  close: () => pool.close(),
});

const open: Open<Options> = (threads, worker, options) => driverOf(make(threads, worker, options));

const lacks = (pattern: RegExp, known: readonly string[], tried: () => Promise<string>): Promise<Outcome> =>
  absent('piscina', pattern, known, tried);

/** Streams are moved between threads by Node; a worker that blocks between tasks does not serve them. */
const openStream =
  (options: Options = { atomics: 'async' }): streams.OpenStream =>
  (count) =>
    make(1, 'piscina-streams', options).run(count, { name: 'moved' });

/** Three workers; each key has one of them, by a load balancer that a user would have to write like this. */
const byKey = (): ((name: string, key: string) => Promise<unknown>) => {
  const places = new Map<string, number>();
  const pool = make(3, undefined, {
    loadBalancer: ({ [Piscina.queueOptionsSymbol as typeof queueOptionsSymbol]: options }, candidates) => {
      const { key } = options as { key: string };
      if (!places.has(key)) places.set(key, places.size % 3);
      const inOrder = candidates.toSorted((one, other) => one.id - other.id);
      return inOrder[places.get(key) as number] ?? null;
    },
  });
  return (name, key) => pool.run({ key, [Piscina.queueOptionsSymbol]: { key } }, { name });
};

export const probes: Probes = {
  'abort-waiting': () => cancellation.abortWaiting(open),
  'running-signal': async () => none(await learnsNothing(open(1), 'piscina')),
  'loop-abort': async () =>
    none(await learnsNothing(open(1), 'piscina'), await cancellation.fateOfLoop(open)),
  'abort-one-worker': () => cancellation.abortOneWorker(open),
  grace: () => lacks(PATTERNS.grace, [], () => cancellation.fateOfLoop(open)),
  deadline: () => cancellation.deadline(open),
  proxy: () => lacks(PATTERNS.proxy, [], () => oneArgument(open(1))),
  'proxy-types': () =>
    proxyTypes(
      `import { Piscina } from 'piscina';\nconst api = new Piscina<typeof import('./module.js')>();`,
    ),
  'stream-out': async () => {
    const plain = await fateOf('a generator', () => make(1).run(3, { name: 'numbers' }));
    const byDefault = (await streams.isServed(openStream({}))) ? [] : [CAVEATS.sync];
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
  'task-events': () => context.taskEvents(open, 'piscina'),
  spans: () => lacks(PATTERNS.spans, [], () => insight.undocumented('piscina', 'OpenTelemetry')),
  'setup-dispose': () =>
    lacks(/setup|teardown|dispose|onTerminate|killHandler|bootstrap/i, ['dispose', 'asyncDispose'], () =>
      said(workers.setupDispose(open(1, 'exported-hooks'), 1)),
    ),
  ready: () => {
    const pool = make(2, 'slow-tasks');
    let created = 0;
    pool.on('workerCreate', () => created++);
    return workers.ready(2, "two events 'workerCreate'", () => until(() => created === 2));
  },
  broadcast: async () => {
    const no = await lack('piscina', PATTERNS.broadcast);
    const run = byKey();
    return workers.reachEach(3, (index) => run('markEach', `worker ${index}`), CAVEATS.balancer, no);
  },
  'sticky-key': () => {
    const run = byKey();
    return workers.stickyKey({
      run: (key) => run('markKey', key),
      hold: (index) => run('holdAll', `hold ${index}`),
      caveat: `that takes ${CAVEATS.balancer}`,
    });
  },
  resize: () => {
    const pool = make(2);
    return workers.resize(driverOf(pool), (threads) =>
      Object.assign(pool, { minThreads: threads, maxThreads: threads }),
    );
  },
  'recycle-tasks': () => lacks(PATTERNS.recycleTasks, [], () => said(workers.recycleTasks(open(1), 3))),
  'recycle-heap': () => lacks(PATTERNS.recycleHeap, [], () => said(workers.recycleHeap(open(1)))),
  'recycle-first': () =>
    lacks(PATTERNS.recycle, [], () => {
      const pool = open(1, 'slow-tasks');
      return said(workers.recycleFirst(pool, () => pool.submit('mark', 'task')));
    }),
  retry: () =>
    lacks(PATTERNS.retry, [], () => {
      const pool = open(1);
      return said(faults.retry((label, times) => pool.submit('mortal', { label, times })));
    }),
  breaker: () => faults.breaker(() => open(2, 'boot-fails'), /exit|code/),
  explain: () => {
    const pool = make(1);
    return insight.explain(driverOf(pool), () => {
      const { histogram } = pool;
      const phases = (['runTime', 'waitTime'] as const).filter((name) => histogram[name].average > 0);
      return { phases, whole: histogram };
    });
  },
  prometheus: () => lacks(PATTERNS.prometheus, [], () => insight.undocumented('piscina', 'Prometheus')),
  'in-process': () => lacks(PATTERNS.inProcess, [], () => runsElsewhere(open(1))),
  'fault-injection': async () => {
    const no = await lack('piscina', PATTERNS.faults);
    const pool = make(1);
    return endedByHand(driverOf(pool), () => pool.threads[0]?.terminate(), no);
  },
};
