import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type Guardian, quantile, type RecordedTrace, record } from 'plimsoll/lab';
import type { LifeCycle } from '../common/command.js';
import { ask, type Drive } from './load.js';

const SERVER = fileURLToPath(new URL('./server.js', import.meta.url));
const READY_MS = 20_000;
let started = 0;

export interface Plan {
  readonly isQuick: boolean;
  readonly blocks: number;
  readonly warmMs: number;
  readonly ms: number;
}

export interface AppRun {
  /** Answers per second. */
  readonly rate: number;
  readonly meanMs: number;
  readonly p99Ms: number;
  /** CPU of the server for each answer. */
  readonly cpuMs: number;
  /** Of the server while it was under load, in seconds. */
  readonly cpuSeconds: number;
  /** Jobs recorded; 0 without a recorder. */
  readonly jobs: number;
}

export interface Order {
  readonly app: string;
  readonly traced: boolean;
  readonly drive: Drive;
  readonly plan: Plan;
  readonly directory: string;
}

/** One fresh process of the server under its load. */
export async function runApp(
  { app, traced, drive, plan, directory }: Order,
  { guardian, signal }: LifeCycle,
): Promise<AppRun> {
  signal.throwIfAborted();
  const portFile = join(directory, `${++started}`);
  process.env.PORT_FILE = portFile;
  const command = [process.execPath, SERVER, app];
  const ended: Promise<RecordedTrace | null> = traced
    ? record(command, { stdout: 'nowhere' }, guardian, signal)
    : untraced(command, guardian);
  // Unhandled only until it is awaited.
  ended.catch(() => {});
  const port = await portIn(portFile, signal);
  await drive(port, plan.warmMs);
  await ask(port, '/begin');
  const { rate, latencies } = await drive(port, plan.ms);
  const { cpuMs } = JSON.parse(await ask(port, '/end')) as { cpuMs: number };
  const trace = await ended;
  return {
    rate,
    meanMs: latencies.reduce((sum, ms) => sum + ms, 0) / latencies.length,
    p99Ms: quantile(latencies, 0.99),
    cpuMs: cpuMs / latencies.length,
    cpuSeconds: cpuMs / 1000,
    jobs: trace?.processes[0]?.jobs.length ?? 0,
  };
}

async function untraced([file = '', ...args]: readonly string[], guardian: Guardian): Promise<null> {
  const child = spawn(file, args, { stdio: 'ignore', detached: true });
  await once(child, 'spawn');
  const pid = child.pid as number;
  guardian.watch(pid);
  await once(child, 'exit');
  guardian.forget(pid);
  return null;
}

async function portIn(file: string, signal: AbortSignal): Promise<number> {
  const until = performance.now() + READY_MS;
  while (!existsSync(file)) {
    if (performance.now() > until) throw new Error(`the server did not listen within ${READY_MS / 1000} s`);
    signal.throwIfAborted();
    await sleep(10);
  }
  return Number(readFileSync(file, 'utf8'));
}
