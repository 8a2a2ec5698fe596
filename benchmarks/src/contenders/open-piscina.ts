import { fileURLToPath } from 'node:url';
import { Piscina } from 'piscina';
import { type OpenPool, type Setup, taskUrl } from './contender.js';

export function openPiscina(
  { task, threads }: Setup,
  options: { readonly concurrentTasksPerWorker?: number },
): OpenPool {
  const pool = new Piscina({
    filename: fileURLToPath(taskUrl(task, 'piscina')),
    minThreads: threads,
    maxThreads: threads,
    ...options,
  });
  return {
    run: (value, transfer) =>
      transfer === undefined ? pool.run(value) : pool.run(value, { transferList: [...transfer] as never[] }),
  };
}
