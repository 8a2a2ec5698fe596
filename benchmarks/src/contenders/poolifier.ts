import { fileURLToPath } from 'node:url';
import { FixedThreadPool } from 'poolifier';
import { CannotDo } from '../blocks/outcome.js';
import { type OpenPool, type Setup, taskUrl } from './contender.js';

export function open({ task, threads }: Setup): OpenPool {
  if (task === 'pass-on') throw new CannotDo('results cannot be transferred');
  const pool = new FixedThreadPool<unknown, unknown>(
    threads,
    fileURLToPath(new URL('./workers/poolifier.js', import.meta.url)),
    { workerOptions: { workerData: taskUrl(task, 'poolifier').href } },
  );
  return {
    run: (value, transfer) =>
      transfer === undefined
        ? pool.execute(value)
        : pool.execute(value, undefined, undefined, [...transfer] as never[]),
  };
}
