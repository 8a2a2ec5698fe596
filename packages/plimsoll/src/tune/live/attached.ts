import { chownSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { PlimsollError } from '../../errors.js';
import { environmentOf, familyOf, isNodeProcess, parentOf } from '../../host/processes.js';
import { listNumbers } from '../../host/read.js';
import { attach } from '../../target/attach.js';
import { LiveTarget, PRELOAD } from './target.js';

/** An agent starts within some tens of milliseconds; on a machine without a free core it takes longer. */
const ARRIVAL_MS = 10_000;

/**
 * Measure a running process, and the Node processes that it has started: workers of a cluster change with it. Each is attached to
 * for a moment; then its agent talks to us by a socket, and gives the pool its old size back when we are gone.
 */
export async function attachTo(pid: number, directory: string, signal: AbortSignal): Promise<LiveTarget> {
  const target = await LiveTarget.listen(directory);
  try {
    for (const process of processesOf(pid)) await start(process, target, signal);
    return target;
  } catch (error) {
    await target.close();
    throw error;
  }
}

/** Sizes that are tried on a service in production: from half of what it has to four times that. */
export const boundedSizes = (size: number): number[] => [
  ...new Set([Math.ceil(size / 2), size, 2 * size, 4 * size]),
];

async function start(pid: number, target: LiveTarget, signal: AbortSignal): Promise<void> {
  const attached = await attach(pid, { signal });
  try {
    letIn(pid, target.socket);
    const [preload, socket] = [PRELOAD, target.socket].map((path) => JSON.stringify(path));
    const answer = await attached.evaluate(`require(${preload}).start(${socket})`);
    if (answer === 'busy')
      throw new PlimsollError(
        'PLIMSOLL_ALREADY_TUNED',
        `another plimsoll is measuring process ${pid}; wait until it has ended`,
      );
  } finally {
    await attached.close();
  }
  await target.arrived(ARRIVAL_MS, signal, pid);
}

/** A process of another user must reach our socket. */
function letIn(pid: number, socket: string): void {
  const { uid, gid } = statSync(`/proc/${pid}`);
  if (uid === process.getuid?.()) return;
  for (const path of [dirname(socket), socket]) chownSync(path, uid, gid);
}

/** Without primaries of clusters: they serve nothing, and Node opens the inspectors of all workers together with theirs. */
function processesOf(root: number): number[] {
  const family = familyOf(root, listNumbers('/', '/proc') ?? []);
  const all = [root, ...family.filter((pid) => pid !== root && isNodeProcess(pid))];
  const primaries = new Set(all.filter(isClusterWorker).map((pid) => parentOf(pid)));
  return all.filter((pid) => !primaries.has(pid));
}

const isClusterWorker = (pid: number): boolean => environmentOf(pid)?.('NODE_UNIQUE_ID') != null;
