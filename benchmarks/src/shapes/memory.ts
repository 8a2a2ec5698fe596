import type { Case } from '../cases/case.js';
import { peakRssMb, rssMb } from '../common/memory.js';
import type { OpenPool } from '../contenders/contender.js';
import { expect } from '../support/expect.js';
import { sustain } from '../support/sustain.js';
import { order } from './carry.js';
import { RIVALS } from './case.js';
import { collectGarbage } from './collect-garbage.js';
import { LARGE, type Shape, sizeOf } from './shapes.js';

const MB = 2 ** 20;

const METRICS = [
  { id: 'rss', title: 'RSS' },
  { id: 'host', title: 'host, external' },
  { id: 'hostBuffers', title: 'host, array buffers' },
  { id: 'worker', title: 'worker, external' },
  { id: 'workerBuffers', title: 'worker, array buffers' },
  { id: 'peak', title: 'RSS at its peak' },
] as const;

type Reading = Record<(typeof METRICS)[number]['id'], number>;

export const MEMORY_CASE: Case = {
  name: 'shapes/memory',
  title: 'Memory after large values',
  description:
    `One worker. ${LARGE.map(({ title }) => title).join(' and ')}, each made for one task in and made by one task out, ` +
    'nothing of which is held by the program. Then three seconds of small tasks, one at a time. MB more than before the large ' +
    'values, after the garbage of both threads was collected; RSS is that of the process, its peak the most that it had.',
  contenders: RIVALS,
  metrics: METRICS.map(({ id, title }) => ({ id, title: `${title} MB`, better: 'less', digits: 1 })),
  targets: [],
  // What it is after is hundreds of megabytes.
  blocksFactor: 1 / 6,
  expectedMs: { full: 6000, quick: 3500, smoke: 600 },

  async measure({ open, effort }) {
    const pool = open({ task: 'carry', threads: 1 });
    // The smoke test has no need of 1.3 GB.
    const shapes = effort === 'smoke' ? [] : LARGE;
    const ms = { full: 3000, quick: 1000, smoke: 50 }[effort];
    await smallTasks(pool, effort === 'full' ? 1000 : 100);
    const before = await read(pool);
    for (const shape of shapes) await carryOnce(pool, shape);
    await smallTasks(pool, ms);
    const after = await read(pool);
    return Object.fromEntries(METRICS.map(({ id }) => [id, after[id] - before[id]]));
  },
};

async function smallTasks({ run }: OpenPool, ms: number): Promise<void> {
  const check = (result: unknown): void => expect(result === undefined, 'something came back');
  await sustain({ run, make: (index) => index, check, inFlight: 1, warmUpMs: 0, ms });
}

/** In a function of its own, so that nothing of it stays on the stack. */
async function carryOnce({ run }: OpenPool, shape: Shape): Promise<void> {
  expect((await run(shape.make())) === undefined, 'something came back');
  expect(sizeOf(await run(order('give', shape))) === shape.bytes, 'it has another size');
}

async function read({ run }: OpenPool): Promise<Reading> {
  const worker = (await run(order('memory', LARGE[0] as Shape))) as NodeJS.MemoryUsage;
  collectGarbage();
  const host = process.memoryUsage();
  return {
    rss: rssMb(),
    host: host.external / MB,
    hostBuffers: host.arrayBuffers / MB,
    worker: worker.external / MB,
    workerBuffers: worker.arrayBuffers / MB,
    peak: peakRssMb(),
  };
}
