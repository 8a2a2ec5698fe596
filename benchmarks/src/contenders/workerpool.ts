import { fileURLToPath } from 'node:url';
import { pool as createPool } from 'workerpool';
import { type OpenPool, type Setup, taskUrl } from './contender.js';

export function open({ task, threads }: Setup): OpenPool {
  const pool = createPool(fileURLToPath(new URL('./workers/workerpool.js', import.meta.url)), {
    workerType: 'thread',
    minWorkers: threads,
    maxWorkers: threads,
    workerThreadOpts: { workerData: taskUrl(task, 'workerpool').href },
  });
  return {
    // Its own kind of promise, whose types are a little off; it is awaited as it is.
    run: (value, transfer) =>
      transfer === undefined
        ? pool.exec('run', [value])
        : pool.exec('run', [value], { transfer: [...transfer] as never[] }),
  };
}
