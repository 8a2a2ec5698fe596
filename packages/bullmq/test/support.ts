import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import {
  createFleet,
  createFleetWorker,
  type Fleet,
  type FleetOptions,
  type FleetWorker,
  type FleetWorkerOptions,
} from '@plimsoll/bullmq';
// @ts-expect-error a script without declarations
import { findRedis, startRedis as start } from '../../../scripts/redis.mjs';

/** See scripts/redis.mjs. */
export interface RedisServer {
  readonly url: string;
  readonly port: number;
  start(): Promise<void>;
  shutdown(): Promise<void>;
  kill(): Promise<void>;
  freeze(): void;
  thaw(): void;
  stop(): Promise<void>;
}

const hasRedis: boolean = findRedis() !== null;

/** An option of tests: without Redis they are skipped, which `--no-skips` makes a failure. */
export const needsRedis: { skip: string | false } = {
  skip: !hasRedis && 'there is no redis-server on this machine',
};

const nowhere: RedisServer = {
  url: 'redis://127.0.0.1:1',
  port: 1,
  start: async () => {},
  shutdown: async () => {},
  kill: async () => {},
  freeze: () => {},
  thaw: () => {},
  stop: async () => {},
};

/** A Redis for this file, which ends with its tests. Without a redis-server it is one that nobody reaches. */
export async function startRedis(options?: {
  password?: string;
  appendOnly?: boolean;
}): Promise<RedisServer> {
  if (!hasRedis) return nowhere;
  const server = (await start(options)) as RedisServer;
  after(() => server.stop());
  return server;
}

/** A file of the fixtures folder, which is not compiled. */
export const fixture = (name: string): URL => new URL(`../test/fixtures/${name}`, import.meta.url);

let queues = 0;
/** A name that no other test has: tests of one file share a Redis. */
export const queueName = (): string => `queue-${process.pid}-${++queues}`;

/** A folder that goes with the test. */
export function folderFor(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'plimsoll-bullmq-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** The lines that tasks have written into a file. */
export const linesOf = (file: string): string[] =>
  existsSync(file) ? readFileSync(file, 'utf8').split('\n').slice(0, -1) : [];

/** A word that tasks wait for: `when` names the file, and they go on when it is given. */
export function wordFor(t: TestContext): { readonly when: string; give(): void } {
  const when = join(folderFor(t), 'word');
  return { when, give: () => writeFileSync(when, '') };
}

/** Milliseconds far beyond anything that a healthy run needs, also on a machine that stands still for seconds. */
export const LONG = 120_000;
/** Of a task that has to be ended: it does not end by itself while a test waits. */
export const LONGER = 5 * LONG;

/** Waits until a condition holds. */
export async function until(condition: () => unknown, what = 'the condition'): Promise<void> {
  const end = performance.now() + LONG;
  while (!(await condition())) {
    if (performance.now() > end) throw new Error(`${what} did not come true within ${LONG} ms`);
    await sleep(20);
  }
}

/** Fails when a promise is not settled in time. */
export async function within<Value>(promise: Promise<Value>, milliseconds = LONG): Promise<Value> {
  const control = new AbortController();
  const tooLate = sleep(milliseconds, undefined, { signal: control.signal }).then(() =>
    assert.fail(`not settled within ${milliseconds} ms`),
  );
  tooLate.catch(() => {});
  try {
    return await Promise.race([promise, tooLate]);
  } finally {
    control.abort();
  }
}

export type Failure = Error & { readonly code?: string } & Record<string, unknown>;

/** What a promise is rejected with, in a bounded time. */
export async function caught(promise: Promise<unknown>): Promise<Failure> {
  try {
    await within(promise);
  } catch (error) {
    if (error instanceof assert.AssertionError) throw error;
    return error as Failure;
  }
  return assert.fail('the promise was fulfilled');
}

export interface Pair {
  readonly queue: string;
  readonly fleet: Fleet;
  readonly worker: FleetWorker;
}

/** A fleet, closed by force when the test ends. */
export function fleetFor(t: TestContext, url: string, options: FleetOptions): Fleet {
  const fleet = createFleet({ connection: url, offlineTimeout: LONG, ...options });
  t.after(() => fleet.close({ force: true }));
  return fleet;
}

/** A worker in this process with one thread, closed by force when the test ends. */
export async function workerFor(
  t: TestContext,
  url: string,
  options: Partial<FleetWorkerOptions> & { readonly queue: string },
): Promise<FleetWorker> {
  const patient = { offlineTimeout: LONG };
  const defaults = { connection: url, filename: fixture('tasks.mjs'), threads: 1, ...patient };
  const worker = createFleetWorker({ ...defaults, ...options });
  t.after(() => worker.close({ force: true }));
  await worker.ready();
  return worker;
}

/** A queue of its own with a fleet and a worker, both in this process. */
export async function pairFor(
  t: TestContext,
  url: string,
  options: { fleet?: Partial<FleetOptions>; worker?: Partial<FleetWorkerOptions> } = {},
): Promise<Pair> {
  const queue = queueName();
  const fleet = fleetFor(t, url, { queue, ...options.fleet });
  const worker = await workerFor(t, url, { queue, ...options.worker });
  await fleet.ready();
  return { queue, fleet, worker };
}

/** The command `plimsoll-worker`, or a process of which only the end matters. */
export class WorkerProcess {
  readonly child: ChildProcess;
  /** What it has written to stderr. */
  errors = '';
  output = '';
  /** Its exit code, or the signal that has ended it. */
  readonly exited: Promise<number | NodeJS.Signals>;

  constructor(args: readonly string[], env: NodeJS.ProcessEnv = {}) {
    const bin = fileURLToPath(new URL('../bin/plimsoll-worker.js', import.meta.url));
    const inherited = { ...process.env };
    delete inherited.REDIS_URL;
    this.child = spawn(process.execPath, [bin, ...args], { env: { ...inherited, ...env } });
    this.child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.errors += text;
    });
    this.child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      this.output += text;
    });
    this.exited = once(this.child, 'close').then(
      ([code, signal]) => (code ?? signal) as number | NodeJS.Signals,
    );
  }

  get pid(): number {
    return this.child.pid as number;
  }

  /** It takes jobs. */
  async ready(): Promise<this> {
    const line = /queue '.*', \d+ threads, tasks .*\n/;
    await until(() => line.test(this.errors) || this.child.exitCode !== null, 'the start of a worker');
    assert.match(this.errors, line);
    return this;
  }

  get healthPort(): number {
    return Number(/health at (\d+)/.exec(this.errors)?.[1]);
  }

  kill(signal: NodeJS.Signals): Promise<number | NodeJS.Signals> {
    this.child.kill(signal);
    return this.exited;
  }
}

/** A start may take longer than usual. */
export const PATIENT = ['--offline-timeout', String(LONG)];

/** What finds the jobs of a dead process soon; a busy machine may take some for dead that are not. */
export const SOON = ['--lock-duration', '2000', '--stalled-interval', '500', '--max-stalled-count', '20'];

/** A worker process of the queue that takes jobs; SIGKILL ends it with the test. */
export async function processFor(
  t: TestContext,
  url: string,
  queue: string,
  args: readonly string[] = [],
): Promise<WorkerProcess> {
  const given = ['--queue', queue, '--filename', fileURLToPath(fixture('tasks.mjs')), '--threads', '1'];
  const worker = new WorkerProcess([...given, ...PATIENT, ...args], { REDIS_URL: url });
  t.after(() => worker.kill('SIGKILL'));
  return worker.ready();
}

/** A way to Redis that can be cut: every connection ends, and new ones are refused, until it is mended. */
export interface Line {
  readonly url: string;
  cut(): void;
  mend(): Promise<void>;
  /** Connections stay open, and nothing comes through them any more; new ones lead there. */
  swallow(port: number): void;
  /** New connections lead there. */
  moveTo(port: number): void;
  /** From now on a connection ends where such a command comes. */
  endAt(command: string): void;
}

export async function lineTo(t: TestContext, port: number): Promise<Line> {
  const sockets = new Set<Socket>();
  let target = port;
  let fatal: string | undefined;
  const server = createServer((client) => {
    const redis = connect(target, '127.0.0.1');
    client.on('data', (data) => {
      if (fatal !== undefined && data.includes(fatal)) client.destroy();
    });
    forward(client, redis);
    forward(redis, client);
  });
  const forward = (from: Socket, to: Socket): void => {
    sockets.add(from);
    from
      .on('error', () => {})
      .on('close', () => {
        sockets.delete(from);
        to.destroy();
      });
    from.pipe(to);
  };
  const listen = async (at: number): Promise<number> => {
    await once(server.listen(at, '127.0.0.1'), 'listening');
    return (server.address() as { port: number }).port;
  };
  const cut = (): void => {
    server.close();
    for (const socket of sockets) socket.destroy();
  };
  const own = await listen(0);
  t.after(cut);
  const moveTo = (to: number): void => {
    target = to;
  };
  const swallow = (to: number): void => {
    moveTo(to);
    for (const socket of sockets) socket.unpipe().resume();
  };
  return {
    url: `redis://127.0.0.1:${own}`,
    cut,
    mend: async () => void (await listen(own)),
    swallow,
    moveTo,
    endAt: (command) => {
      fatal = command;
    },
  };
}
