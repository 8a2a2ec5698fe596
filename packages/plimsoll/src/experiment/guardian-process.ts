import { rmSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { isSameProcess } from '../host/processes.js';
import type { GuardianOrder } from './guardian.js';

/**
 * The guardian: it outlives the process that started it, whatever ends that one, and then kills what was left
 * running and removes what was left lying about. Its standard input is its only tie: when it ends, the parent is gone.
 */
const processes = new Map<number, number | null>();
const directories = new Set<string>();

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});

for await (const line of createInterface({ input: process.stdin })) {
  const order = JSON.parse(line) as GuardianOrder;
  if (order.do === 'watch') processes.set(order.pid, order.startTime);
  else if (order.do === 'forget') processes.delete(order.pid);
  else if (order.do === 'keep-clean') directories.add(order.directory);
  else directories.delete(order.directory);
}

const alive = (pid: number, startTime: number | null): boolean =>
  startTime === null ? isRunning(pid) : isSameProcess(pid, startTime);

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

for (const [pid, startTime] of processes) {
  if (!alive(pid, startTime)) continue;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It ended by itself in between.
  }
}
for (let turn = 0; turn < 100 && [...processes].some(([pid, start]) => alive(pid, start)); turn++)
  await sleep(50);
for (const directory of directories) rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
process.exit(0);
