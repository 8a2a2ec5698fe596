import { Piscina, type queueOptionsSymbol } from 'piscina';
import { workerFile } from '../files.js';
import { lack } from '../names.js';
import type { Probes } from '../outcome.js';
import { said } from '../scenarios/absence.js';
import * as cancellation from '../scenarios/cancellation.js';
import * as insight from '../scenarios/insight.js';
import { proxyTypes } from '../scenarios/types.js';
import * as workers from '../scenarios/workers.js';
import { until } from '../time.js';
import { CAVEATS } from './caveats.js';
import { PATTERNS } from './patterns.js';
import { familyOf } from './piscina-api.js';

type Options = NonNullable<ConstructorParameters<typeof Piscina>[0]>;

function make(threads: number, worker?: string, options?: Options): Piscina {
  const size = { minThreads: threads, maxThreads: threads };
  const pool = new Piscina({ filename: workerFile(worker), ...size, ...options });
  return pool.on('error', () => {});
}

const {
  driverOf,
  open,
  lacks,
  probes: shared,
} = familyOf<Piscina, Options>({
  name: 'piscina',
  make,
  close: (pool) => pool.close(),
  serving: { atomics: 'async' },
  caveat: CAVEATS.sync,
});

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
  ...shared,
  grace: () => lacks(PATTERNS.grace, [], () => cancellation.fateOfLoop(open)),
  'proxy-types': () =>
    proxyTypes(
      `import { Piscina } from 'piscina';\nconst api = new Piscina<typeof import('./module.js')>();`,
    ),
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
  'recycle-tasks': () => lacks(PATTERNS.recycleTasks, [], () => said(workers.recycleTasks(open(1), 3))),
  'recycle-heap': () => lacks(PATTERNS.recycleHeap, [], () => said(workers.recycleHeap(open(1)))),
  'recycle-first': () =>
    lacks(PATTERNS.recycle, [], () => {
      const pool = open(1, 'slow-tasks');
      return said(workers.recycleFirst(pool, () => pool.submit('mark', 'task')));
    }),
  explain: () => {
    const pool = make(1);
    return insight.explain(driverOf(pool), () => {
      const { histogram } = pool;
      const phases = (['runTime', 'waitTime'] as const).filter((name) => histogram[name].average > 0);
      return { phases, whole: histogram };
    });
  },
};
