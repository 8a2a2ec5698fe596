import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Arm,
  blockOrders,
  createRandom,
  LiveTarget,
  openTraffic,
  type Random,
  startCommand,
  timeCommand,
  type Window,
} from '@plimsoll/lab';
import type { LifeCycle } from '../common/command.js';
import type { CommandProgram, Requests, ServerProgram } from './catalogue.js';
import { BASELINE, SIZES, type StudyPlan } from './plan.js';
import type { Slice } from './result.js';

/** Separate processes at real sizes, which have their turns before `tune` and after it. */
export interface Truth {
  /** Blocks of all sizes and a twin of the baseline. */
  measure(plan: StudyPlan): Promise<Slice[]>;
  close(): Promise<void>;
}

const ARRIVE_MS = 30_000;
const LISTEN_MS = 30_000;
/** Connections open, the program answers as usual. */
const WARM_MS = 300;
const LONGEST_RUN_MS = 60_000;
const sizeOf = (arm: Arm): number => (arm === 'twin' ? BASELINE : arm);

/** What earlier writers left in memory would be written while others are measured. */
const syncDisks = (): void => {
  execFileSync('sync');
};

/** Each size has a server of its own, which lives all the time and has the same requests in turn. */
export async function openServers(
  program: ServerProgram,
  command: readonly string[],
  cycle: LifeCycle,
): Promise<Truth> {
  const servers = new Map<Arm, Server>();
  const close = async (): Promise<void> => {
    await Promise.all([...servers.values()].map((server) => server.close()));
  };
  try {
    for (const arm of [...SIZES, 'twin' as const])
      servers.set(arm, await openServer(sizeOf(arm), command, cycle));
    const random = createRandom(sizeOf('twin'));
    let block = 0;
    return {
      async measure(plan) {
        const slices: Slice[] = [];
        for (const order of blockOrders(SIZES, plan.blocks, random)) {
          syncDisks();
          for (const arm of order)
            slices.push({
              ...(await (servers.get(arm) as Server).slice(program.requests, plan, cycle)),
              ...{ block, arm },
            });
          block++;
        }
        return slices;
      },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

interface Server {
  slice(requests: Requests, plan: StudyPlan, cycle: LifeCycle): Promise<Omit<Slice, 'block' | 'arm'>>;
  close(): Promise<void>;
}

async function openServer(size: number, command: readonly string[], cycle: LifeCycle): Promise<Server> {
  const { guardian, signal } = cycle;
  const port = await freePort();
  const directory = guardian.temporaryDirectory();
  const target = await LiveTarget.listen(directory);
  const running = await startCommand(
    command,
    { ...target.variables(size), PORT: String(port) },
    'nowhere',
    guardian,
  );
  const close = async (): Promise<void> => {
    await target.close();
    await running.close();
    guardian.remove(directory);
  };
  try {
    await target.arrived(ARRIVE_MS, signal);
    await untilItListens(port, signal);
    return {
      close,
      async slice({ paths, ...requests }, { sliceMs }, { guardian, signal }) {
        const endpoint = { host: '127.0.0.1', port } as const;
        const traffic = await openTraffic({ from: 'urls', urls: paths, ...requests }, endpoint, {
          ...{ guardian, signal },
          onPause: () => {},
        });
        try {
          await sleep(WARM_MS, undefined, { signal });
          const window = await target.window(
            { block: 0, order: 0, arm: size, size, leastMs: sliceMs, mostMs: 4 * sliceMs },
            signal,
          );
          return figuresOf(window, requests.rate);
        } finally {
          await traffic.close();
        }
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}

const MOST_UNFINISHED = 0.05;

function figuresOf(window: Window, rate: number | undefined): Omit<Slice, 'block' | 'arm'> {
  const latencies = [...window.routes.values()].flat();
  const failed = window.failed + (latencies.length === 0 ? 1 : 0);
  if (failed > 0.01 * window.completed) throw new Error(`${failed} of ${window.completed} requests failed`);
  const behind = window.unfinished + Math.max(0, window.inFlightGrowth);
  return {
    // A latency begins when the event loop takes the request up; clients wait for that, too.
    meanMs: latencies.reduce((sum, latency) => sum + latency, 0) / latencies.length + window.loopDelayMs.mean,
    perSecond: window.completed / window.seconds,
    overloaded: rate !== undefined && behind > MOST_UNFINISHED * latencies.length + 5,
  };
}

/** Waits until a request is answered, whatever the answer. */
export async function untilItListens(port: number, signal: AbortSignal): Promise<void> {
  const until = performance.now() + LISTEN_MS;
  for (;;) {
    const isThere = await fetch(`http://127.0.0.1:${port}/`, { signal }).then(
      async (response) => {
        await response.arrayBuffer();
        return true;
      },
      () => false,
    );
    signal.throwIfAborted();
    if (isThere) return;
    if (performance.now() > until) throw new Error(`it did not listen within ${LISTEN_MS / 1000} s`);
    await sleep(50, undefined, { signal });
  }
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}

/** Fresh processes of all sizes, as a build is run; the first of all is dropped. */
export function openRuns(_program: CommandProgram, command: readonly string[], cycle: LifeCycle): Truth {
  const random: Random = createRandom(BASELINE);
  let block = 0;
  return {
    async measure(plan) {
      const slices: Slice[] = [];
      const time = async (arm: Arm): Promise<number> => {
        const { wallMs } = await timeCommand(command, sizeOf(arm), LONGEST_RUN_MS, { ...cycle, random });
        return wallMs;
      };
      await time(BASELINE);
      for (const order of blockOrders(SIZES, plan.blocks, random)) {
        syncDisks();
        for (const arm of order) {
          const meanMs = await time(arm);
          slices.push({ block, arm, meanMs, perSecond: 1000 / meanMs, overloaded: false });
        }
        block++;
      }
      return slices;
    },
    close: async () => {},
  };
}
