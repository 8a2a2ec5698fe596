// A Fastify server that renders React, with and without a pool, under a closed loop of requests.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import type { Run } from '../common/study.js';
import type { Order, Report } from './client.js';
import { openServer } from './server.js';

type Done = Extract<Report, { type: 'done' }>;

export async function run(
  contender: string,
  { connections = 10, warmUpMs = 2000, ms = 10_000 }: Readonly<Record<string, number>>,
): Promise<Run> {
  const { fastify, pool } = await openServer(contender);
  const { port } = fastify.server.address() as AddressInfo;
  const client = fork(fileURLToPath(new URL('./client.js', import.meta.url)), [], { execArgv: [] });
  client.send({ url: `http://127.0.0.1:${port}/`, connections, warmUpMs, ms } satisfies Order);

  await once(client, 'message');
  pool?.histogram.resetWaitTime();
  let started = 0;
  pool?.on('workerCreate', () => started++);
  const cpu = process.cpuUsage();
  const [done] = (await once(client, 'message')) as [Done];
  const { user, system } = process.cpuUsage(cpu);
  const waits = pool?.histogram.waitTime;
  if (done.errors > 0) throw new Error(`${done.errors} requests failed`);
  return {
    metrics: {
      rate: done.rate,
      served: done.served,
      mean: done.mean,
      p50: done.p50,
      p99: done.p99,
      // Without a pool nothing waits in one.
      waitMean: waits?.mean ?? 0,
      waitMax: waits?.max ?? 0,
      cpu: (user + system) / done.answers,
      workers: (started * 1000) / ms,
    },
    helperCpuSeconds: done.cpuSeconds,
  };
}
