import { rmSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { hasEnded, isNodeProcess, isSameProcess, processesWithEnvironment } from '../host/processes.js';
import { signalProcess } from './process.js';

export type GuardianOrder =
  | { do: 'watch'; pid: number; startTime: number | null }
  | { do: 'forget'; pid: number }
  | { do: 'keep-clean'; directory: string };

/** When its standard input ends, whatever ended its parent, it kills the processes and removes the directories left behind. */
const watched = new Map<number, number | null>();
/** Directories stay listed after their removal, since a daemon may create its own again. */
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

// A process in the middle of execve has no environment for a moment, so two searches must find none.
for (let turn = 0, quiet = 0; turn < TURNS && quiet < 2; turn++) {
  if (turn > 0) await sleep(TURN_MS);
  quiet = killAll() ? quiet + 1 : 0;
}
for (const directory of directories) rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
process.exit(0);

/**
 * Kill the watched groups, and every Node process with one of our directories in its environment: PM2's daemon and its children
 * are not in our groups. Daemons without Node, which a command may have started, belong to the user.
 */
function killAll(): boolean {
  const groups = [...watched].filter(([pid, started]) => isRunning(pid, started)).map(([pid]) => -pid);
  const strays = processesWithEnvironment([...directories]).filter((pid) => isNodeProcess(pid));
  for (const target of [...groups, ...strays]) signalProcess(target, 'SIGKILL');
  return groups.length + strays.length === 0;
}

function isRunning(pid: number, started: number | null): boolean {
  return started === null ? signalProcess(pid, 0) : isSameProcess(pid, started) && !hasEnded(pid);
}
