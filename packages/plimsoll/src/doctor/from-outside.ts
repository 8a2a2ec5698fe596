import { usage } from '../errors.js';
import { countPoolThreads, listThreads } from '../host/pool-threads.js';
import { hasEnded, isNodeProcess } from '../host/processes.js';
import { readText } from '../host/read.js';
import type { ProcessFacts } from './facts.js';

const VARIABLE = 'UV_THREADPOOL_SIZE=';

/**
 * What /proc tells of a process that runs already: the environment that it was started with, and its threads where libuv names
 * them (Node 22.17 and later).
 *
 * @throws {PlimsollError} PLIMSOLL_USAGE where there is no /proc, for a process that is gone, is not Node, or is another user's.
 */
export function fromOutside(pid: number, root = '/'): ProcessFacts {
  const command = readText(root, `/proc/${pid}/cmdline`);
  if (command === null || hasEnded(pid, root))
    throw usage(
      readText(root, '/proc/self/stat') === null
        ? 'doctor PID needs /proc, which only Linux has; give a command instead: plimsoll doctor -- node app.js'
        : `there is no process ${pid}`,
    );
  const environment = readText(root, `/proc/${pid}/environ`);
  if (environment === null)
    throw usage(
      `process ${pid} is another user's: its environment cannot be read; run doctor as that user, or as root`,
    );
  if (!isNodeProcess(pid, root) && !hasThreadsOfV8(pid, root))
    throw usage(`process ${pid} is no Node.js process`);
  const variables = environment.split('\0');
  const initial = variables.find((one) => one.startsWith(VARIABLE))?.slice(VARIABLE.length) ?? null;
  // Of another version of libuv: what has the name is a pool thread, and where none has it nothing is known.
  const threads = countPoolThreads(pid, '1.0.0', root);
  return {
    ...{
      pid,
      ppid: 0,
      script: command.split('\0').find((word, index) => index > 0 && !word.startsWith('-')) ?? null,
    },
    ...{ node: null, libuv: null, platform: process.platform, initial, current: initial, threads },
    ...{ usedBy: threads === null ? 'unknown' : 'app', availableParallelism: null },
    ...{ pm2: variables.some((one) => one.startsWith('pm_id=')), exitMs: null, workers: [] },
  };
}

/** As an executable with another name has them, such as a single executable application. */
const hasThreadsOfV8 = (pid: number, root: string): boolean =>
  (listThreads(pid, root) ?? []).some(({ name }) => /^(V8Worker|DelayedTaskSche)/.test(name));
