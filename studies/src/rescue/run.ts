import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type Contestant, quantile } from '@plimsoll/lab';
import type { LifeCycle } from '../common/command.js';
import { PHASES, type Phase } from './phases.js';
import type { Said } from './server.js';

const SERVER = fileURLToPath(new URL('./server.js', import.meta.url));
const START_MS = 30_000;
let started = 0;

/** One slice of a phase. */
export interface Slice {
  readonly phase: number;
  readonly answers: number;
  readonly seconds: number;
  /** Of answers, and of what was not answered, up to the end of the slice. */
  readonly p99Ms: number;
  readonly loopP99Ms: number;
  readonly size: number | null;
  readonly rescuedMs: number | null;
  readonly totalCpuSeconds: number;
}

export interface Order {
  readonly arm: string;
  /** Threads that the process is started with. */
  readonly threads: number;
  readonly directory: string;
  readonly slices: number;
  readonly sliceMs: number;
  readonly resolver: { readonly prefix: readonly string[]; readonly names: readonly string[] };
}

/** A server that goes through all phases, slice by slice. */
export async function openServer(order: Order, cycle: LifeCycle): Promise<Contestant<Slice, string>> {
  const { arm, threads, directory, slices, sliceMs, resolver } = order;
  const folder = join(directory, `${started++}`);
  mkdirSync(folder);
  const socketPath = join(folder, 'socket');
  const [file = '', ...args] = [...resolver.prefix, process.execPath, SERVER, arm, folder];
  const child = spawn(file, args, {
    ...{ stdio: ['ignore', 'ignore', 'inherit', 'ipc'], detached: true },
    env: { ...process.env, UV_THREADPOOL_SIZE: String(threads) },
  });
  const pid = child.pid as number;
  cycle.guardian.watch(pid);
  const isEnded = once(child, 'exit');
  const end = async (): Promise<void> => {
    // Threads that hang would keep it from its own end.
    child.kill('SIGKILL');
    await isEnded;
    cycle.guardian.forget(pid);
  };
  try {
    await once(child, 'message', { signal: AbortSignal.any([cycle.signal, AbortSignal.timeout(START_MS)]) });
  } catch (error) {
    await end();
    throw error;
  }
  let count = 0;
  const say = (path: string, body?: unknown): Promise<string> => ask(socketPath, path, body).answered;
  return {
    pid,
    async round() {
      cycle.signal.throwIfAborted();
      const phase = Math.floor(count / slices);
      if (count++ % slices === 0) await say('/enter', { phase: PHASES[phase], names: resolver.names });
      await say('/begin');
      const answers = await drive(socketPath, phase, sliceMs);
      const { cpuSeconds, ...said } = JSON.parse(await say('/said')) as Said;
      return { phase, ...answers, ...said, totalCpuSeconds: cpuSeconds };
    },
    close: end,
    end,
  };
}

interface Asked {
  readonly answered: Promise<string>;
  cancel(): void;
}

function ask(socketPath: string, path: string, body?: unknown, agent: Agent | false = false): Asked {
  const sent = request({ socketPath, path, agent, method: body === undefined ? 'GET' : 'POST' });
  const answered = new Promise<string>((resolve, reject) => {
    sent.on('error', reject).on('response', (response) => {
      let text = '';
      response.setEncoding('utf8').on('error', reject);
      response.on('data', (chunk: string) => {
        text += chunk;
      });
      response.on('end', () => resolve(text));
    });
  });
  sent.end(body === undefined ? undefined : JSON.stringify(body));
  return { answered, cancel: () => sent.destroy() };
}

/** Puts a server under the load of its phase; what is not answered in time is given up. */
async function drive(
  socketPath: string,
  phase: number,
  ms: number,
): Promise<Pick<Slice, 'answers' | 'seconds' | 'p99Ms'>> {
  const { load, logins, files } = PHASES[phase] as Phase;
  const agent = new Agent({ keepAlive: true });
  const latencies: number[] = [];
  const out = new Set<Asked>();
  let isOver = false;
  let answers = 0;
  const start = performance.now();
  const left = (): number => start + ms - performance.now();
  const send = async (path: string, due = performance.now()): Promise<void> => {
    const one = ask(socketPath, path, undefined, agent);
    out.add(one);
    const isAnswered = await one.answered.then(
      () => !isOver,
      () => false,
    );
    if (isAnswered) answers++;
    out.delete(one);
    latencies.push(performance.now() - due);
  };
  /**
   * Whether or not earlier ones were answered; each counts from the moment when it was due. Every slice has the same number, at random
   * moments, so that chance makes no difference between servers.
   */
  const arrive = async (path: string, rate: number): Promise<void> => {
    const count = Math.round((rate * ms) / 1000);
    const dues = Array.from({ length: count }, () => start + Math.random() * ms).sort((a, b) => a - b);
    const pending: Promise<void>[] = [];
    for (const due of dues) {
      await sleep(Math.max(0, due - performance.now()));
      if (isOver) break;
      pending.push(send(path, due));
    }
    await Promise.all(pending);
  };
  const client = async (path: string): Promise<void> => {
    while (!isOver) await send(path);
  };
  const loads =
    load === 'open'
      ? [arrive('/login', logins), arrive('/file', files)]
      : [...Array<string>(logins).fill('/login'), ...Array<string>(files).fill('/file')].map(client);
  await sleep(left());
  isOver = true;
  const seconds = (performance.now() - start) / 1000;
  for (const one of out) one.cancel();
  await Promise.all(loads);
  agent.destroy();
  return { answers, seconds, p99Ms: quantile(latencies, 0.99) };
}
