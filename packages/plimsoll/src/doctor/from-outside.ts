import { nodeProcess } from '../host/node-process.js';
import { variableInMemory } from '../host/process-memory.js';
import { countPool, isResized } from '../host/process-pool.js';
import { commandOf } from '../host/processes.js';
import { poolSizeOf } from '../libuv/pool-size.js';
import type { ProcessFacts } from './facts.js';

const VARIABLE = 'UV_THREADPOOL_SIZE';

/**
 * What /proc tells of a process that runs already: the environment that it was started with, and the threads of its pool. Where
 * its memory may be read, what the program assigned itself, too.
 */
export function fromOutside(pid: number, root = '/'): ProcessFacts {
  const variable = nodeProcess(pid, root);
  const initial = variable(VARIABLE);
  const inMemory = root === '/' ? variableInMemory(pid, VARIABLE) : undefined;
  const current = inMemory === undefined ? initial : inMemory;
  // In cluster mode PM2's own code sets the environment of the app in the process, before it loads the app.
  const fromPm2 = (name: string): string | null =>
    variable(name) ?? (root === '/' ? (variableInMemory(pid, name) ?? null) : null);
  const count = countPool(pid, poolSizeOf(initial), root);
  return {
    ...{ pid, ppid: 0, script: fromPm2('pm_exec_path') ?? scriptOf(pid, root) },
    ...{ node: null, libuv: null, platform: process.platform, initial, current },
    ...{
      threads: count === null || count.threads === 0 ? null : count.threads,
      countedBy: count?.by ?? null,
    },
    usedBy: count === null ? 'unknown' : count.threads === 0 ? 'nobody' : 'app',
    ...{ availableParallelism: null, resized: isResized(pid, root), pm2: fromPm2('pm_id') !== null },
    workers: [],
  };
}

/** The program's file; the whole text where the program has overwritten its command line by a title. */
function scriptOf(pid: number, root: string): string | null {
  const [first = null, ...words] = commandOf(pid, root);
  return words.find((word) => !word.startsWith('-')) ?? first;
}
