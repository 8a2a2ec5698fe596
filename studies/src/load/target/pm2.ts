import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, dirname, join } from 'node:path';
import { hasEnded, isSameProcess, PlimsollError, startTime } from '@plimsoll/lab';
import { type LaunchContext, type Launched, launch } from './launch.js';
import { eventually, within } from './wait.js';

export interface Pm2App {
  /** CommonJS file. */
  readonly script: string;
  readonly mode: 'fork' | 'cluster';
  readonly instances: number;
  readonly env: Readonly<Record<string, string>>;
}

/** Its command line. */
const PM2 = join(dirname(createRequire(import.meta.url).resolve('pm2/package.json')), 'bin/pm2');
const COMMAND_MS = 30_000;
const GONE_MS = 5_000;

/**
 * Run an application under a PM2 of our own: a private PM2_HOME, a daemon started for it and ended with it. The daemon
 * of the user is not touched.
 *
 * @param directory temporary, and removed by the caller afterwards.
 * @param pids the application's processes as far as they are known when it is stopped.
 * @throws {PlimsollError} PLIMSOLL_TARGET_FAILED when PM2 does not start it.
 */
export async function launchUnderPm2(
  app: Pm2App,
  directory: string,
  pids: () => readonly number[],
  context: LaunchContext,
): Promise<Pick<Launched, 'stop'>> {
  const home = join(directory, 'pm2');
  mkdirSync(home);
  const ecosystem = writeEcosystem(app, home);
  const pidFile = join(home, 'pm2.pid');
  const pm2 = (...args: string[]): Promise<void> => run(PM2, args, home, context);

  const stop = async (): Promise<boolean> => {
    const daemon = daemonOf(pidFile);
    const started = [...pids(), ...(daemon === null ? [] : [daemon])].map((pid) => ({
      pid,
      since: startTime(pid),
    }));
    const alive = () => started.filter(({ pid, since }) => isSameProcess(pid, since) && !hasEnded(pid));
    await pm2('kill').catch(() => {});
    // It says that the daemon has stopped while that one is still at it.
    if (await eventually(() => alive().length === 0, GONE_MS)) return false;
    for (const { pid } of alive()) kill(pid);
    await eventually(() => alive().length === 0, GONE_MS);
    return true;
  };

  try {
    await pm2('start', ecosystem);
    context.signal.throwIfAborted();
  } catch (error) {
    await stop();
    if (context.signal.aborted) throw error;
    throw new PlimsollError(
      'PLIMSOLL_TARGET_FAILED',
      `PM2 did not start the server (${(error as Error).message})`,
      { cause: error },
    );
  }
  return { stop };
}

/**
 * The files that PM2 is started with. The application is loaded through a CommonJS file outside of any ES module
 * package, because PM2 would import() it otherwise, and the loader uses the pool; logs go nowhere, because PM2 opens
 * them asynchronously, on the pool too, before the application's first statement.
 */
function writeEcosystem({ script, mode, instances, env }: Pm2App, home: string): string {
  writeFileSync(join(home, 'package.json'), '{}\n');
  const entry = join(home, 'server.cjs');
  writeFileSync(entry, `require(${JSON.stringify(script)});\n`);
  const path = join(home, 'server.config.json');
  const app = {
    name: 'plimsoll',
    script: entry,
    cwd: home,
    interpreter: process.execPath,
    exec_mode: mode,
    instances,
    env,
    autorestart: false,
    out_file: '/dev/null',
    error_file: '/dev/null',
    pmx: false,
    vizion: false,
    disable_source_map_support: true,
    kill_timeout: 1000,
  };
  // interpreter would force fork mode; workers in cluster mode run the daemon's Node, which is this one.
  if (mode === 'cluster') delete (app as { interpreter?: string }).interpreter;
  writeFileSync(path, JSON.stringify({ apps: [app] }));
  return path;
}

/** Run a command of PM2 to its end. @throws when it fails or takes too long. */
async function run(
  script: string,
  args: readonly string[],
  home: string,
  context: LaunchContext,
): Promise<void> {
  const command = await launch([process.execPath, script, ...args], environment(home), context);
  const how = await within(COMMAND_MS, new AbortController().signal, command.ended);
  await command.stop(0);
  if (how === 'timeout') throw new Error(`pm2 ${args[0]} took more than ${COMMAND_MS / 1000} s`);
  if (!how.startsWith('exit code 0')) throw new Error(how);
}

/**
 * Three variables keep PM2 from asking its maker's server for newer versions: one at the first use of a PM2_HOME, one
 * when it is used as a program, one daily. The daemon's own pool keeps its default size.
 */
function environment(home: string): Record<string, string | undefined> {
  const foreign = Object.keys(process.env).filter((name) =>
    /^(PM2_|pm_|UV_THREADPOOL_SIZE$|NODE_APP_INSTANCE$)/.test(name),
  );
  return {
    ...Object.fromEntries(foreign.map((name) => [name, undefined])),
    PATH: `${dirname(process.execPath)}${delimiter}${process.env.PATH ?? ''}`,
    PM2_HOME: home,
    PM2_DISCRETE_MODE: '1',
    PM2_PROGRAMMATIC: 'true',
    PM2_DISABLE_VERSION_CHECK: 'true',
    PM2_NO_INTERACTION: 'true',
  };
}

function daemonOf(pidFile: string): number | null {
  try {
    return Number(readFileSync(pidFile, 'utf8'));
  } catch {
    return null;
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It ended in between.
  }
}
