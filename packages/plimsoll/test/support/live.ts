import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { connect } from 'node:http2';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { attach } from '#plimsoll/target/attach.js';
import { LiveTarget } from '#plimsoll/tune/live/target.js';
import { fixture, until } from './cli.js';

export interface LiveApp {
  readonly target: LiveTarget;
  readonly child: ChildProcess & { readonly pid: number };
  readonly port: number;
}

/** A fixture under measurement, until the test ends. */
export async function liveApp(
  context: TestContext,
  [file, ...args]: [string, ...string[]],
  size = 8,
): Promise<LiveApp> {
  const directory = mkdtempSync(join(tmpdir(), 'plimsoll-live-'));
  const target = await LiveTarget.listen(directory);
  const child = startApp([file, ...args], target.variables(size));
  context.after(async () => {
    await target.close();
    child.kill('SIGKILL');
    rmSync(directory, { recursive: true, force: true });
  });
  const port = await portOf(child);
  await target.arrived(60_000);
  return { target, child, port };
}

export function startApp(
  [file, ...args]: [string, ...string[]],
  env: Record<string, string>,
): LiveApp['child'] {
  // Nobody else has its inspector's port.
  return spawn(process.execPath, ['--inspect-port=0', fixture(file), ...args], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  }) as ChildProcess as LiveApp['child'];
}

/** What a fixture prints first. */
export const portOf = (child: ChildProcess): Promise<number> =>
  new Promise((resolve, reject) => {
    child.stdout?.once('data', (text) => resolve(Number(String(text).trim())));
    child.once('exit', (code, signal) => reject(new Error(`the fixture ended with ${code ?? signal}`)));
  });

/** Ask for a path; the status of the answer, or `null` without one. */
export const ask = (port: number, path: string, agent?: Agent): Promise<number | null> =>
  new Promise((resolve) => {
    request({ port, host: '127.0.0.1', path, agent }, (response) => {
      response.resume().once('close', () => resolve(response.statusCode ?? null));
    })
      .once('error', () => resolve(null))
      .end();
  });

/** Ask a cluster until so many of its workers have answered, each over a connection of its own. */
export async function askWorkers(port: number, workers: number): Promise<void> {
  const seen = new Set<string | null>();
  while (seen.size < workers) {
    const response = await fetch(`http://127.0.0.1:${port}/`, { headers: { connection: 'close' } });
    seen.add(response.headers.get('x-pid'));
    await response.text();
  }
}

export interface Load {
  /** Resolves when all that was sent has been answered. */
  stop(): Promise<void>;
}

/** Between an answer and the next request: thousands of requests in a second would leave no CPU for what a test is about. */
const THINK_MS = 10;
const think = (ms = THINK_MS): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Ask for paths in turn over some connections, each again soon after its answer, until the test ends. */
export function load(
  context: TestContext,
  port: number,
  paths: readonly string[],
  connections = 4,
  thinkMs = THINK_MS,
): Load {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  let isOver = false;
  const client = async (): Promise<void> => {
    for (let turn = 0; !isOver; turn++) {
      await ask(port, paths[turn % paths.length] as string, agent);
      await think(thinkMs);
    }
  };
  const clients = Array.from({ length: connections }, client);
  context.after(() => {
    isOver = true;
    agent.destroy();
  });
  return {
    async stop() {
      isOver = true;
      await Promise.all(clients);
    },
  };
}

/** The same over streams of one HTTP/2 session. */
export function loadHttp2(context: TestContext, port: number, path: string, streams = 4): void {
  const session = connect(`http://127.0.0.1:${port}`);
  session.on('error', () => {});
  const client = (): void => {
    if (session.destroyed) return;
    const stream = session.request({ ':path': path });
    stream.on('error', () => {});
    stream.resume().once('close', () => void think().then(client));
    stream.end();
  };
  for (let count = 0; count < streams; count++) client();
  context.after(() => session.destroy());
}

/** Threads of a process that wait in a read of a FIFO: those that are parked. */
const parkedThreads = (pid: number): number =>
  countThreads(pid, (task) => {
    const [call, first] = readFileSync(`${task}/syscall`, 'latin1').split(' ');
    if (call !== (process.arch === 'arm64' ? '63' : '0') || first === undefined) return false;
    return /^pipe:|fifo/.test(readlinkSync(`/proc/${pid}/fd/${Number(first)}`));
  });

/** Pool threads of a process that serve the queue: those that it has by name, or was started with, less those that are parked. */
export function servingThreads(pid: number, started = 8): number {
  const named = countThreads(pid, (task) => readFileSync(`${task}/comm`, 'utf8').trim() === 'libuv-worker');
  return (named === 0 ? started : named) - parkedThreads(pid);
}

/** Wait until so many serve: an agent that is slow to answer resizes the pool all the same. */
export const untilServing = (pid: number, size: number, started?: number): Promise<void> =>
  until(() => servingThreads(pid, started) === size, undefined, `${size} threads serve`);

/** Wait until no agent is in a process: its thread ends a moment after its last answer. */
export async function untilLeftAlone(pid: number): Promise<void> {
  for (let isMeasured: unknown = true; isMeasured; ) {
    const attached = await attach(pid);
    isMeasured = await attached.evaluate("Reflect.has(globalThis, Symbol.for('plimsoll.tune'))");
    await attached.close();
  }
}

const countThreads = (pid: number, isOne: (task: string) => boolean): number =>
  readdirSync(`/proc/${pid}/task`).filter((tid) => {
    try {
      return isOne(`/proc/${pid}/task/${tid}`);
    } catch {
      // The thread has ended.
      return false;
    }
  }).length;
