import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type Contestant, type Guardian, quantile, record, type Trace } from '@plimsoll/lab';
import type { LifeCycle } from '../common/command.js';
import type { RoundYield } from '../common/rounds.js';
import { ask, type Drive } from './load.js';

const SERVER = fileURLToPath(new URL('./server.js', import.meta.url));
/** A server that does not listen, or does not end a slice, within so long counts as hung. */
const DEADLINE_MS = 30_000;
let started = 0;

export interface Plan {
  readonly isQuick: boolean;
  /** For each table row. */
  readonly timeMs: number;
  readonly warmMs: number;
  /** Of a slice. */
  readonly ms: number;
}

export interface Order {
  readonly app: string;
  readonly isTraced: boolean;
  readonly drive: Drive;
  readonly plan: Plan;
  readonly directory: string;
  /** Of a traced server that has ended. */
  onTrace?(trace: Trace): void;
}

/** A server that has warmed up and waits for its next slice of load. */
export async function openApp(
  { app, isTraced, drive, plan, directory, onTrace }: Order,
  { guardian, signal }: LifeCycle,
): Promise<Contestant<RoundYield, string>> {
  signal.throwIfAborted();
  const portFile = join(directory, `${++started}`);
  const command = [process.execPath, SERVER, app, portFile];
  const killed = new AbortController();
  const cycle = { guardian, signal: AbortSignal.any([signal, killed.signal]) };
  const ended: Promise<Trace | null> = isTraced
    ? record(command, { stdout: 'nowhere' }, cycle)
    : untraced(command, cycle);
  // Unhandled only until it is awaited.
  ended.catch(() => {});
  const end = async (): Promise<void> => {
    killed.abort();
    await ended.catch(() => {});
  };
  try {
    const port = await portIn(portFile, cycle.signal);
    await inTime(drive(port, plan.warmMs));
    const { pid } = await used(port);
    return {
      pid,
      round: () => inTime(slice(port, drive, plan.ms)),
      close: async () => {
        await ask(port, '/stop');
        const trace = await inTime(ended);
        if (trace !== null) onTrace?.(trace);
      },
      end,
    };
  } catch (error) {
    await end();
    throw error;
  }
}

async function slice(port: number, drive: Drive, ms: number): Promise<RoundYield> {
  const before = await used(port);
  const { rate, latencies } = await drive(port, ms);
  const { cpuMs } = await used(port);
  return {
    metrics: {
      rate,
      meanMs: latencies.reduce((sum, latency) => sum + latency, 0) / latencies.length,
      p99Ms: quantile(latencies, 0.99),
      cpuMs: (cpuMs - before.cpuMs) / latencies.length,
    },
    totalCpuSeconds: cpuMs / 1000,
  };
}

const used = async (port: number): Promise<{ pid: number; cpuMs: number }> =>
  JSON.parse(await ask(port, '/used')) as { pid: number; cpuMs: number };

async function inTime<Value>(work: Promise<Value>): Promise<Value> {
  const over = new AbortController();
  const late = sleep(DEADLINE_MS, undefined, { signal: over.signal, ref: false }).then(() => {
    throw new Error(`not finished after ${DEADLINE_MS / 1000} s`);
  });
  late.catch(() => {});
  try {
    return await Promise.race([work, late]);
  } finally {
    over.abort();
  }
}

async function untraced(
  [file = '', ...args]: readonly string[],
  { guardian, signal }: { guardian: Guardian; signal: AbortSignal },
): Promise<null> {
  const child = spawn(file, args, {
    stdio: 'ignore',
    detached: true,
  });
  await once(child, 'spawn');
  const pid = child.pid as number;
  guardian.watch(pid);
  const kill = (): boolean => child.kill('SIGKILL');
  signal.addEventListener('abort', kill);
  if (signal.aborted) kill();
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  signal.removeEventListener('abort', kill);
  guardian.forget(pid);
  return null;
}

async function portIn(file: string, signal: AbortSignal): Promise<number> {
  const until = performance.now() + DEADLINE_MS;
  while (!existsSync(file)) {
    if (performance.now() > until)
      throw new Error(`the server did not listen within ${DEADLINE_MS / 1000} s`);
    signal.throwIfAborted();
    await sleep(10);
  }
  return Number(readFileSync(file, 'utf8'));
}
