import { existsSync, readFileSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { isSameProcess, startTime } from '../host/processes.js';
import type { GuardianOrder } from './guardian.js';

/**
 * The guardian: it outlives the process that started it, whatever ends that one, and then kills what was left
 * running and removes what was left lying about. Its standard input is its only tie: when it ends, the parent is gone.
 */
const processes = new Map<number, number | null>();
const pidFiles = new Set<string>();
const directories = new Set<string>();

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});

for await (const line of createInterface({ input: process.stdin })) {
  const order = JSON.parse(line) as GuardianOrder;
  if (order.do === 'watch') processes.set(order.pid, order.startTime);
  else if (order.do === 'forget') processes.delete(order.pid);
  else if (order.do === 'watch-pid-file') pidFiles.add(order.path);
  else if (order.do === 'keep-clean') directories.add(order.directory);
  else directories.delete(order.directory);
}

const alive = (pid: number, started: number | null): boolean =>
  started === null ? isRunning(pid) : isSameProcess(pid, started);

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/**
 * The daemon of a pid file that is left, unless another process has got the number since. One that has just been started
 * may not have written it yet.
 */
async function daemonOf(path: string): Promise<number | null> {
  for (let turn = 0; turn < 20 && existsSync(dirname(path)) && !existsSync(path); turn++) await sleep(50);
  try {
    const pid = Number(readFileSync(path, 'utf8'));
    // Its environment and not its command line, which process.title overwrites and cuts.
    return readFileSync(`/proc/${pid}/environ`, 'utf8').includes(dirname(path)) ? pid : null;
  } catch {
    return null;
  }
}

for (const path of pidFiles) {
  const pid = await daemonOf(path);
  if (pid !== null) processes.set(pid, startTime(pid));
}
for (const [pid, started] of processes) {
  if (!alive(pid, started)) continue;
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
