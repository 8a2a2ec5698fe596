import { setTimeout as sleep } from 'node:timers/promises';
import type { Case } from '../cases/case.js';
import { peakRssMb, rssMb } from '../common/memory.js';
import type { OpenPool } from '../contenders/contender.js';
import { expect } from '../support/expect.js';
import { sustain } from '../support/sustain.js';
import { order, type WorkerMemory } from './carry.js';
import { RIVALS } from './case.js';
import { collectGarbage } from './collect-garbage.js';
import { LARGE, type Shape, sizeOf } from './shapes.js';

const MB = 2 ** 20;
const WORKERS = 2;
/** What the collector has found is given back in the background. */
const FREED_MS = 300;

const METRICS = [
  { id: 'rss', title: 'RSS' },
  { id: 'rssCollected', title: 'RSS, workers collected' },
  { id: 'host', title: 'host, external' },
  { id: 'hostBuffers', title: 'host, array buffers' },
  { id: 'workers', title: 'workers, external' },
  { id: 'workerBuffers', title: 'workers, array buffers' },
  { id: 'peak', title: 'RSS at its peak' },
] as const;

type Reading = Record<(typeof METRICS)[number]['id'], number>;

export const MEMORY_CASE: Case = {
  name: 'shapes/memory',
  title: 'Memory after large values',
  description:
    `Two workers. ${LARGE.map(({ title }) => title).join(' and ')}: each is made for one task in and by one task out, and the ` +
    'program holds nothing of it. Then three seconds of small tasks, one at a time. MB more than before the large values: ' +
    'RSS is that of the process after the garbage of the host was collected; then that of the workers is, by a task in each, ' +
    'which may let go of what an idle worker held.',
  contenders: RIVALS,
  metrics: METRICS.map(({ id, title }) => ({ id, title: `${title} MB`, better: 'less', digits: 1 })),
  targets: [],
  // What it is after is hundreds of megabytes.
  blocksFactor: 1 / 6,
  expectedMs: { full: 6000, quick: 3500, smoke: 1000 },

  async measure({ open, effort }) {
    const pool = open({ task: 'carry', threads: WORKERS });
    // The smoke test has no need of a gigabyte.
    const shapes = effort === 'smoke' ? [] : LARGE;
    const ms = { full: 3000, quick: 500, smoke: 50 }[effort];
    await smallTasks(pool, ms / 3);
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
  const value = shape.make();
  expect((await run(value)) === undefined, 'something came back');
  expect(sizeOf(await run(order('give', shape))) === sizeOf(value), 'it has another size');
}

async function read(pool: OpenPool): Promise<Reading> {
  collectGarbage();
  await sleep(FREED_MS);
  const { external, arrayBuffers } = process.memoryUsage();
  const rss = rssMb();
  const peak = peakRssMb();
  const workers = await ofEachWorker(pool);
  await sleep(FREED_MS);
  const sum = (of: (worker: WorkerMemory) => number): number =>
    workers.reduce((total, worker) => total + of(worker), 0) / MB;
  return {
    rss,
    rssCollected: rssMb(),
    host: external / MB,
    hostBuffers: arrayBuffers / MB,
    workers: sum((worker) => worker.external),
    workerBuffers: sum((worker) => worker.arrayBuffers),
    peak,
  };
}

/** As many tasks at once as there are workers, until each has answered. */
async function ofEachWorker({ run }: OpenPool): Promise<WorkerMemory[]> {
  const answers = new Map<number, WorkerMemory>();
  while (answers.size < WORKERS) {
    const asked = Array.from({ length: WORKERS }, () => run(order('memory', LARGE[0] as Shape)));
    for (const answer of (await Promise.all(asked)) as WorkerMemory[]) answers.set(answer.threadId, answer);
  }
  return [...answers.values()];
}
