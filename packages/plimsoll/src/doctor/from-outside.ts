import { variableInMemory } from '../host/process-memory.js';
import { countPool, isResized } from '../host/process-pool.js';
import { commandOf, nodeProcess } from '../host/processes.js';
import { poolSizeOf } from '../libuv/pool-size.js';
import type { ProcessFacts } from './facts.js';

const VARIABLE = 'UV_THREADPOOL_SIZE';

/** What /proc tells of a running process; what the program set itself, too, where its memory may be read. */
export function fromOutside(pid: number, root = '/'): ProcessFacts {
  const atStart = nodeProcess(pid, root);
  const now = (name: string): string | null => {
    const value = root === '/' ? variableInMemory(pid, name) : undefined;
    return value === undefined ? atStart(name) : value;
  };
  // In cluster mode PM2's code sets the environment of the app inside the process, before it loads the app.
  const fromPm2 = (name: string): string | null => atStart(name) ?? now(name);
  const initial = atStart(VARIABLE);
  const count = countPool(pid, poolSizeOf(initial), root);
  return {
    ...{ pid, ppid: 0, script: fromPm2('pm_exec_path') ?? scriptOf(pid, root) },
    ...{ node: null, libuv: null, platform: process.platform, initial, current: now(VARIABLE) },
    ...{ threads: count?.threads || null, countedBy: count?.by ?? null },
    usedBy: count === null ? 'unknown' : count.threads === 0 ? 'nobody' : 'app',
    ...{ availableParallelism: null, resized: isResized(pid, root), pm2: fromPm2('pm_id') !== null },
    workers: [],
  };
}

/** The program's file, or the process title. */
function scriptOf(pid: number, root: string): string | null {
  const [first = null, ...words] = commandOf(pid, root);
  return words.find((word) => !word.startsWith('-')) ?? first;
}
