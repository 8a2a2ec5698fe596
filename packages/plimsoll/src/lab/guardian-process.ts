import { rmSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { hasEnded, isNodeProcess, isSameProcess, processesWithEnvironment } from '../host/processes.js';

export type GuardianOrder =
  | { do: 'watch'; pid: number; startTime: number | null }
  | { do: 'forget'; pid: number }
  | { do: 'keep-clean'; directory: string };

/**
 * The guardian: it outlives the process that started it, whatever ends that one, and then kills what was left
 * running and removes what was left lying about. Its standard input is its only tie: when it ends, the parent is gone.
 */
const watched = new Map<number, number | null>();
/** Every directory there ever was: a daemon may make its own anew after it was removed. */
const directories = new Set<string>();

const TURN_MS = 20;
const TURNS = 250;

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});

for await (const line of createInterface({ input: process.stdin })) {
  const order = JSON.parse(line) as GuardianOrder;
  if (order.do === 'watch') watched.set(order.pid, order.startTime);
  else if (order.do === 'forget') watched.delete(order.pid);
  else directories.add(order.directory);
}

// A process in the middle of execve has no environment for a moment: none is left only when two searches find none.
for (let turn = 0, quiet = 0; turn < TURNS && quiet < 2; turn++) {
  if (turn > 0) await sleep(TURN_MS);
  quiet = killAll() ? quiet + 1 : 0;
}
for (const directory of directories) rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
process.exit(0);

/**
 * Kill the groups that are watched, and every Node process that has one of our directories in its environment: PM2's
 * daemon and what it has started are not in our groups, and may not have told anybody of themselves yet. Other daemons,
 * which a command started by the way, are its user's.
 */
function killAll(): boolean {
  const groups = [...watched].filter(([pid, started]) => isRunning(pid, started)).map(([pid]) => -pid);
  const strays = processesWithEnvironment([...directories]).filter((pid) => isNodeProcess(pid));
  for (const target of [...groups, ...strays]) {
    try {
      process.kill(target, 'SIGKILL');
    } catch {
      // It ended by itself in between.
    }
  }
  return groups.length + strays.length === 0;
}

function isRunning(pid: number, started: number | null): boolean {
  if (started !== null) return isSameProcess(pid, started) && !hasEnded(pid);
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
