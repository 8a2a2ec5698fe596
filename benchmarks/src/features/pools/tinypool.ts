import Tinypool from 'tinypool';
import { workerFile } from '../files.js';
import type { Probes } from '../outcome.js';
import { runsAnywhere, said } from '../scenarios/absence.js';
import * as cancellation from '../scenarios/cancellation.js';
import * as insight from '../scenarios/insight.js';
import { proxyTypes } from '../scenarios/types.js';
import * as workers from '../scenarios/workers.js';
import { CAVEATS } from './caveats.js';
import { PATTERNS } from './patterns.js';
import { familyOf } from './piscina-api.js';

type Options = NonNullable<ConstructorParameters<typeof Tinypool>[0]>;

function make(threads: number, worker?: string, options?: Options): Tinypool {
  const size = { minThreads: threads, maxThreads: threads };
  const pool = new Tinypool({ runtime: 'worker_threads', filename: workerFile(worker), ...size, ...options });
  return pool.on('error', () => {});
}

const {
  open,
  lacks,
  probes: shared,
} = familyOf<Tinypool, Options>({
  name: 'tinypool',
  make,
  close: (pool) => pool.destroy(),
  serving: { useAtomics: false },
  caveat: CAVEATS.useAtomics,
});

export const probes: Probes = {
  ...shared,
  grace: () => lacks(PATTERNS.grace, ['terminateTimeout'], () => cancellation.fateOfLoop(open)),
  'proxy-types': () =>
    proxyTypes(
      `import { Tinypool } from 'tinypool';\nconst api = new Tinypool<typeof import('./module.js')>();`,
    ),
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
  'recycle-tasks': () => workers.recycleTasks(open(1, undefined, { isolateWorkers: true }), 3),
  'recycle-heap': () =>
    workers.recycleHeap(open(1, undefined, { maxMemoryLimitBeforeRecycle: 40 * 1024 * 1024 })),
  'recycle-first': () => {
    const pool = open(1, 'slow-tasks', { maxMemoryLimitBeforeRecycle: 40 * 1024 * 1024 });
    return workers.recycleFirst(pool, (index) =>
      index === 3 ? pool.submit('grow', 60) : pool.submit('mark', 'task'),
    );
  },
  explain: () => lacks(PATTERNS.explain, [], () => insight.undocumented('tinypool', 'histogram')),
};
