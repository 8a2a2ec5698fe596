import { fileURLToPath } from 'node:url';
import { Pool } from '@plimsoll/pool';
import { type OpenPool, type Setup, taskUrl } from './contender.js';

export function open({ task, threads }: Setup): OpenPool {
  const pool = new Pool({
    filename: fileURLToPath(taskUrl(task, 'plimsoll')),
    minThreads: threads,
    maxThreads: threads,
  });
  return {
    map: (items, concurrency) => pool.map(items, { concurrency }),
    run: (value, transfer) =>
      transfer === undefined ? pool.run(value) : pool.run(value, { transferList: [...transfer] }),
  };
}
