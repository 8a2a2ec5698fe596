import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { Redis } from 'ioredis';

/** Where tasks run. */
export interface Place {
  /** Of Redis; `null`: there is none. */
  readonly url: string | null;
  readonly workers: readonly ChildProcess[];
}

/** CPU seconds since each was started. */
export interface CpuSeconds {
  readonly redis: number;
  readonly host: number;
  readonly workers: number;
}

export type Cpu = () => Promise<CpuSeconds>;

export function cpuOf({ url, workers }: Place): Cpu {
  const redis = url === null ? undefined : new Redis(url);
  return async () => {
    const [ofRedis, ...ofWorkers] = await Promise.all([
      redis === undefined ? 0 : redis.info('cpu').then(redisSeconds),
      ...workers.map(workerSeconds),
    ]);
    const { user, system } = process.cpuUsage();
    return {
      redis: ofRedis,
      host: (user + system) / 1e6,
      workers: ofWorkers.reduce((sum, seconds) => sum + seconds, 0),
    };
  };
}

const redisSeconds = (info: string): number =>
  ['used_cpu_sys', 'used_cpu_user'].reduce(
    (sum, name) => sum + Number(new RegExp(`^${name}:([\\d.]+)`, 'm').exec(info)?.[1]),
    0,
  );

async function workerSeconds(worker: ChildProcess): Promise<number> {
  const answer = once(worker, 'message');
  worker.send('cpu');
  const [seconds] = (await answer) as [number];
  return seconds;
}
