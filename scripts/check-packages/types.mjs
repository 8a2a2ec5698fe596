/** What must compile in an ES module and in a CommonJS one of the same program, by the types of one class. @type {Record<string, Record<string, string>>} */
export const TYPES = {
  '@plimsoll/fastify': {
    'types.mts': `import plimsollPool, { plimsollPool as same } from '@plimsoll/fastify';
      export const plugin: typeof plimsollPool = same;`,
    'types.cts': `import plimsollPool from '@plimsoll/fastify';
      import fastify = require('fastify');
      fastify().register(plimsollPool, { filename: 'worker.js' });`,
  },
  '@plimsoll/monitor': {
    'types.mts': `import { monitorThreadPool, type ThreadPoolMonitor } from '@plimsoll/monitor';
      import { monitor } from '@plimsoll/monitor/auto';
      export const monitors: (ThreadPoolMonitor | undefined)[] = [monitor, monitorThreadPool({ resolution: 10 })];`,
    'types.cts': `import { monitorThreadPool } from '@plimsoll/monitor';
      import auto = require('@plimsoll/monitor/auto');
      import type { monitors } from './types.mjs' with { 'resolution-mode': 'import' };
      export const all: typeof monitors = [monitorThreadPool(), auto.monitor];`,
  },
  '@plimsoll/pool': {
    'types.mts': `import { Pool } from '@plimsoll/pool';
      import Piscina, { type PiscinaTask } from '@plimsoll/pool/piscina';
      import Tinypool, { type Options, workerId } from '@plimsoll/pool/tinypool';
      import { type Step, TestPool } from '@plimsoll/pool/testing';
      import { observe, type Explanation } from '@plimsoll/pool/observe';
      import { task } from '@plimsoll/pool/worker';
      export const explain = (pool: Pool): Explanation => observe(pool).explain();
      export const tested: Pool = new TestPool({ seed: 1 });
      export const steps: Promise<Step[]> = new TestPool().runAll();
      export const isAborted: boolean = task.aborted;
      export const pool = new Pool();
      export const tinypool: Tinypool = new Tinypool({ isolateWorkers: true } satisfies Options);
      export const id: number | undefined = workerId;
      export const piscina: Piscina<number, string> = new Piscina();
      export const idOf = ({ taskId }: PiscinaTask): number => taskId;`,
    'types.cts': `import { Pool } from '@plimsoll/pool';
      import Piscina, { Piscina as Named, move } from '@plimsoll/pool/piscina';
      import Whole = require('@plimsoll/pool/piscina');
      import { Tinypool } from '@plimsoll/pool/tinypool';
      export const tinypools: Tinypool[] = [new Tinypool()];
      import { Pool as Tested, type Fault } from '@plimsoll/pool/testing';
      import { task } from '@plimsoll/pool/worker';
      export const fault: Fault = { kind: 'oom', nth: 2 };
      export const tested: Pool = new Tested({ manual: true });
      export const signal: AbortSignal = task.signal;
      import type { pool, piscina } from './types.mjs' with { 'resolution-mode': 'import' };
      export const pools: (Pool | typeof pool)[] = [new Pool()] satisfies (typeof pool)[];
      export const piscinas: (typeof piscina)[] = [new Piscina(), new Named(), new Whole.default()];
      export class Queue implements Whole.TaskQueue {
        size = move(0);
        push(): void {}
        remove(): void {}
        shift(): null { return null; }
      }`,
  },
  '@plimsoll/bullmq': {
    'types.mts': `import { createFleet, createTasks, type Tasks } from '@plimsoll/bullmq';
      type Module = { add(task: { a: number; b: number }): number };
      export const tasks: Tasks<Module> = createTasks<Module>({ filename: 'a.mjs', fleet: process.env.REDIS_URL ? { queue: 'a' } : null });
      export const sum: Promise<number> = createFleet<Module>({ queue: 'a' }).run({ a: 4, b: 6 }, { name: 'add', jobId: 'a' });`,
    'types.cts': `import { FleetError, createFleetWorker } from '@plimsoll/bullmq';
      export const isFleetError = (error: unknown): boolean => error instanceof FleetError;
      export const ready: Promise<void> = createFleetWorker({ queue: 'a', filename: 'a.mjs', threads: 2 }).ready();`,
  },
  plimsoll: {
    'types.mts': `import { mark } from 'plimsoll/mark';
      export const mail: Promise<string> = mark('mail', async () => 'sent');
      export const count: number = mark('count', () => 7);`,
    'types.cts': `import { mark } from 'plimsoll/mark';
      import required = require('plimsoll/mark');
      export const same: typeof mark = required.mark;`,
  },
};
