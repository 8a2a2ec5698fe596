import { type AddressInfo, connect, createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { PlimsollError } from '@plimsoll/lab';
import { type GroupUsage, readGroupUsage } from './group-usage.js';
import { type LaunchContext, type Launched, launch } from './launch.js';
import type { Target, TargetMeasurement } from './target.js';
import { countThreads } from './thread-count.js';
import { within } from './wait.js';

export interface UserCommand {
  /** `{port}` in an argument stands for the port. */
  readonly command: readonly [string, ...string[]];
  /** Port 0: a free one is chosen for each server. */
  readonly url: URL;
  readonly bystander: URL | null;
  readonly size: number;
  /** After so long without an open port it counts as hung, in milliseconds. */
  readonly readyMs: number;
}

const GRACE_MS = 5_000;
const LOOK_MS = 25;
const PRELOAD = fileURLToPath(new URL('./threads-preload.cjs', import.meta.url));

/** Whether a server is told its port, so that several of them can live at the same time. */
export const choosesPort = ({ port }: URL): boolean => port === '0';

/**
 * Start a user's command with the pool size in its environment (and PORT, where the port is free to choose), and wait until its
 * port is open.
 *
 * @throws {PlimsollError} when the port is open already, or the command does not come up; it is gone then.
 */
export async function startCommand(given: UserCommand, context: LaunchContext): Promise<Target> {
  const user: UserCommand & { readonly port?: number } = choosesPort(given.url)
    ? atPort(given, await freePort())
    : given;
  const { url, size } = user;
  if (await accepts(url))
    throw new PlimsollError(
      'PLIMSOLL_PORT_IN_USE',
      `port ${portOf(url)} is in use: something listens there already and would be measured instead of your command; stop it, or leave the command out to measure it as it is`,
    );
  const { guardian } = context;
  const directory = guardian.temporaryDirectory();
  let launched: Launched | null = null;
  const close = async (): Promise<string | null> => {
    const forced = await launched?.stop(context.signal.aborted ? 0 : GRACE_MS);
    guardian.remove(directory);
    return forced ? 'forced-stop' : null;
  };
  try {
    launched = await launchCommand(user, directory, context);
    await untilOpen(launched, user, context.signal);
  } catch (error) {
    await close();
    throw error;
  }
  return commandTarget(user, launched, () => observe(launched as Launched, directory, size), close);
}

/** A port is not chosen twice: one that is free now may be that of a server that is only about to listen. */
const chosen = new Set<number>();

async function freePort(): Promise<number> {
  for (;;) {
    const server = createServer();
    await new Promise<void>((resolve, reject) =>
      server.once('error', reject).listen(0, '127.0.0.1', resolve),
    );
    const { port } = server.address() as AddressInfo;
    await new Promise((resolve) => server.close(resolve));
    if (chosen.has(port)) continue;
    chosen.add(port);
    return port;
  }
}

function atPort(
  { command, url, bystander, ...rest }: UserCommand,
  port: number,
): UserCommand & { port: number } {
  const at = (one: URL): URL => Object.assign(new URL(one), { port: String(port) });
  return {
    ...rest,
    port,
    command: command.map((word) => word.replaceAll('{port}', String(port))) as [string, ...string[]],
    url: at(url),
    bystander: bystander === null ? null : choosesPort(bystander) ? at(bystander) : bystander,
  };
}

async function launchCommand(
  { command, size, port }: UserCommand & { readonly port?: number },
  directory: string,
  context: LaunchContext,
): Promise<Launched> {
  const preload = `--require ${JSON.stringify(PRELOAD)}`;
  const env = {
    UV_THREADPOOL_SIZE: String(size),
    ...(port === undefined ? {} : { PORT: String(port) }),
    PLIMSOLL_THREADS: directory,
    NODE_OPTIONS: process.env.NODE_OPTIONS ? `${process.env.NODE_OPTIONS} ${preload}` : preload,
  };
  try {
    return await launch(command, env, context);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new PlimsollError(
      'PLIMSOLL_TARGET_FAILED',
      `cannot start ${JSON.stringify(command[0])}: ${code === 'ENOENT' ? 'there is no such command' : message}`,
      { cause: error },
    );
  }
}

async function untilOpen(
  launched: Launched,
  { url, readyMs }: UserCommand,
  signal: AbortSignal,
): Promise<void> {
  const done = new AbortController();
  const open = async (): Promise<'open'> => {
    while (!done.signal.aborted && !(await accepts(url))) await sleep(LOOK_MS);
    return 'open';
  };
  try {
    const first = await within(
      readyMs,
      signal,
      open(),
      launched.ended.then((how) => ({ how })),
    );
    if (first === 'timeout')
      throw new PlimsollError(
        'PLIMSOLL_TARGET_HUNG',
        `your command did not listen on port ${portOf(url)} within ${readyMs / 1000} s; does --url name the port that it uses?`,
      );
    if (first !== 'open')
      throw new PlimsollError(
        'PLIMSOLL_TARGET_FAILED',
        `your command ended before it listened on port ${portOf(url)} (${first.how})`,
      );
  } finally {
    done.abort();
  }
}

function commandTarget(
  { url, bystander, size }: UserCommand,
  launched: Launched,
  threads: () => { counts: number[]; mark: string | null },
  close: () => Promise<string | null>,
): Target {
  let before: GroupUsage | null = null;
  return {
    url,
    bystander,
    died: new Promise(() => {}),
    begin() {
      before = readGroupUsage(launched.pid);
    },
    async finish() {
      if (launched.hasEnded())
        throw new PlimsollError(
          'PLIMSOLL_TARGET_DIED',
          `your command ended under the load at size ${size} (${await launched.ended})`,
        );
      const after = readGroupUsage(launched.pid);
      const { counts, mark } = threads();
      return {
        ...unknown,
        ...used(before, after),
        observedThreads: counts,
        problems: mark === null ? [] : [mark],
      };
    },
    close,
  };
}

/** What cannot be asked of a server that is somebody else's. */
const unknown: TargetMeasurement = {
  operationsMs: null,
  operationFailures: 0,
  firstFailure: null,
  endedAt: null,
  cpuSeconds: null,
  maxRssBytes: null,
  eventLoopDelayMs: null,
  died: 0,
  observedThreads: [],
  problems: [],
};

function used(before: GroupUsage | null, after: GroupUsage | null): Partial<TargetMeasurement> {
  if (before === null || after === null) return {};
  return {
    cpuSeconds: Math.max(0, after.cpuSeconds - before.cpuSeconds),
    maxRssBytes: after.maxRssBytes,
    died: before.pids.filter((pid) => !after.pids.includes(pid)).length,
  };
}

function observe(
  { pid }: Launched,
  directory: string,
  size: number,
): { counts: number[]; mark: string | null } {
  const group = readGroupUsage(pid)?.pids ?? [];
  const observed = countThreads(group, directory);
  const wrong = observed.find(({ count, certain }) => (certain ? count !== size : count < size));
  if (wrong !== undefined)
    throw new PlimsollError(
      'PLIMSOLL_POOL_SIZE_MISMATCH',
      `a process of your command had ${wrong.count} pool threads instead of ${size}: something in it sets UV_THREADPOOL_SIZE itself`,
    );
  const mark = observed.some(({ count }) => count > size) ? 'other-threads' : null;
  return { counts: observed.map(({ count }) => count), mark: observed.length === 0 ? 'pool-not-seen' : mark };
}

/** A server that runs already, at whatever size it has: only what its answers tell can be measured. */
export function runningServer(url: URL, bystander: URL | null): Target {
  return {
    url,
    bystander,
    died: new Promise(() => {}),
    begin() {},
    finish: async () => unknown,
    close: async () => null,
  };
}

const portOf = ({ port, protocol }: URL): number =>
  port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port);

/** Whether something accepts connections there. */
function accepts(url: URL): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: url.hostname.replace(/^\[|\]$/g, ''), port: portOf(url) });
    const say = (answer: boolean) => (): void => {
      socket.destroy();
      resolve(answer);
    };
    socket.setTimeout(1000, say(false)).once('connect', say(true)).once('error', say(false));
  });
}
