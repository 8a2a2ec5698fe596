import { fileURLToPath } from 'node:url';
import Tinypool from 'tinypool';
import { type OpenPool, type Setup, taskUrl } from './contender.js';

export function open({ task, threads }: Setup): OpenPool {
  const pool = new Tinypool({
    filename: fileURLToPath(taskUrl(task, 'tinypool')),
    runtime: 'worker_threads',
    minThreads: threads,
    maxThreads: threads,
  });
  return {
    run: (value, transfer) =>
      transfer === undefined ? pool.run(value) : pool.run(value, { transferList: [...transfer] as never[] }),
  };
}
