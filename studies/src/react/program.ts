// A Fastify server that renders React, with and without a pool, under a closed loop of requests.
import { type ChildProcess, fork } from 'node:child_process';
import { on } from 'node:events';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Opened, Yield } from '../common/study.js';
import type { Order, Report } from './client.js';
import { openServer, type Server } from './server.js';

const WARM_UP_CLIENTS = 10;
const WARM_UP_REQUESTS = 5;
const QUIET_MS = 50;
const QUIET_CPU_US = 5000;

/** A server and the process that puts it under load. */
interface Pair extends Pick<Server, 'pool'> {
  readonly client: ChildProcess;
  /** What the client says, in its order. */
  next(): Promise<Report>;
  readonly url: string;
}

export async function open(
  contender: string,
  { connections = 10, warmUpMs = 300, ms = 700 }: Readonly<Record<string, number>>,
): Promise<Opened> {
  const { fastify, pool } = await openServer(contender);
  const { port } = fastify.server.address() as AddressInfo;
  const client = fork(fileURLToPath(new URL('./client.js', import.meta.url)), [], { execArgv: [] });
  // Kept from the beginning: two reports that come at once would find nobody who waits for the second.
  const reports = on(client, 'message', { close: ['exit'] });
  const next = async (): Promise<Report> => {
    const { done, value } = await reports.next();
    if (done) throw new Error("autocannon's process ended");
    return (value as [Report])[0];
  };
  const pair = { pool, client, next, url: `http://127.0.0.1:${port}/` };
  await Promise.all(Array.from({ length: WARM_UP_CLIENTS }, () => warmUp(pair.url)));
  return { round: () => round(pair, { connections, warmUpMs, ms }) };
}

/** Until so many requests are answered, not for so long: beside others that start, workers load React slowly. */
async function warmUp(url: string): Promise<void> {
  for (let request = 0; request < WARM_UP_REQUESTS; request++) await (await fetch(url)).text();
}

async function round({ pool, client, next, url }: Pair, traffic: Omit<Order, 'url'>): Promise<Yield> {
  client.send({ url, ...traffic } satisfies Order);
  await next();
  pool?.histogram.resetWaitTime();
  let started = 0;
  const count = (): number => started++;
  pool?.on('workerCreate', count);
  const cpu = process.cpuUsage();
  const done = await next();
  const { user, system } = process.cpuUsage(cpu);
  pool?.off('workerCreate', count);
  const waits = pool?.histogram.waitTime;
  if (done.type !== 'done') throw new Error('no request was answered while it was measured');
  if (done.errors > 0) throw new Error(`${done.errors} requests failed`);
  await next();
  await quiet();
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
      workers: (started * 1000) / traffic.ms,
    },
    helperCpuSeconds: done.cpuSeconds,
  };
}

/** Connections that were never accepted, and requests that nobody waits for any more, must not be served beside the next round. */
async function quiet(): Promise<void> {
  for (;;) {
    const before = process.cpuUsage();
    await sleep(QUIET_MS);
    const { user, system } = process.cpuUsage(before);
    if (user + system < QUIET_CPU_US) return;
  }
}
