import { readMemory, readMemoryText } from '../host/process-memory.js';
import { PARKING } from '../host/process-pool.js';
import { readLink } from '../host/read.js';
import { inodeOf, socketPeer } from '../host/sockets.js';
import type { ThreadActivity } from '../host/thread-activity.js';
import type { Doing } from '../results/pool-activity.js';
import { systemCall } from './system-calls.js';

/** A sleeping thread that used a smaller share of a core than this was idle. */
const LEAST_SHARE = 0.05;

/** `before` is the thread at the previous look, if there was one; `targetOf` names what a blocked thread waits for. */
export function doingOf(
  now: ThreadActivity,
  before: ThreadActivity | null,
  elapsedMs: number,
  targetOf: (thread: ThreadActivity) => string | null,
): Doing {
  const share = (key: 'cpuMs' | 'coreWaitMs'): number => {
    const [after, earlier] = [now[key], before?.[key] ?? null];
    if (after === null || earlier === null || elapsedMs <= 0) return 0;
    return Math.min(1, Math.max(0, (after - earlier) / elapsedMs));
  };
  const [cpuShare, coreWaitShare] = [share('cpuMs'), share('coreWaitMs')];
  if (now.state === 'R' || Math.max(cpuShare, coreWaitShare) > LEAST_SHARE) {
    const waits = coreWaitShare > cpuShare && coreWaitShare > LEAST_SHARE;
    return { what: waits ? 'waiting for a core' : 'running', cpuShare, coreWaitShare };
  }
  if (now.call === null) return { what: 'sleeping', state: now.state };
  const { name, target } = systemCall(now.call.number);
  if (target === 'idle') return { what: 'idle' };
  const on = targetOf(now);
  return PARKING.test(on ?? '') ? { what: 'parked' } : { what: 'blocked', call: name, on };
}

/** A thread whose system call cannot be read counts as idle while it sleeps without waiting for a disk. */
export const isBusy = (doing: Doing): boolean =>
  doing.what === 'sleeping' ? doing.state === 'D' : doing.what !== 'idle' && doing.what !== 'parked';

/** A name server answers on this port. */
const LOOKUP_PORT = ':53';

/** What a blocked thread waits for: a path, `pipe`, `lookup at 127.0.0.53:53`; `null` when unknown. */
export function targetOf(pid: number, { call }: ThreadActivity, root = '/'): string | null {
  if (call === null) return null;
  const { target } = systemCall(call.number);
  const argument = call.args[target === 'path-at' ? 1 : 0];
  if (argument === undefined) return null;
  if (target === 'path' || target === 'path-at') return readMemoryText(pid, argument, root);
  if (target === 'file') return nameOfFile(pid, Number(argument), root);
  if (target !== 'poll') return null;
  // struct pollfd begins with the file descriptor.
  const bytes = readMemory(pid, argument, 4, root);
  return bytes === null || bytes.length < 4 ? null : nameOfFile(pid, bytes.readInt32LE(0), root);
}

function nameOfFile(pid: number, file: number, root: string): string | null {
  const link = readLink(root, `/proc/${pid}/fd/${file}`);
  if (link === null) return null;
  const inode = inodeOf(link);
  if (inode === undefined) return link.replace(/^(pipe|anon_inode):.*/, '$1');
  const { protocol, peer = null } = socketPeer(pid, inode, root) ?? {};
  if (peer === null) return 'socket';
  return peer.endsWith(LOOKUP_PORT) ? `lookup at ${peer}` : `${protocol} ${peer}`;
}
