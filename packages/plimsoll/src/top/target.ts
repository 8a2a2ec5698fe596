import { readLink } from '../host/read.js';
import { inodeOf, socketPeer } from '../host/sockets.js';
import { readMemory, readMemoryText, type ThreadActivity } from '../host/thread-activity.js';
import { systemCall } from './system-calls.js';

/** A name server answers there. */
const LOOKUP_PORT = ':53';

/** What a blocked thread waits for: a path, `pipe`, `lookup at 127.0.0.53:53`; `null` when it cannot be told. */
export function targetOf(pid: number, { call }: ThreadActivity, root = '/'): string | null {
  if (call === null) return null;
  const { target } = systemCall(call.number);
  if (target.kind === 'none') return null;
  const argument = call.args[target.argument];
  if (argument === undefined) return null;
  if (target.kind === 'path') return readMemoryText(pid, argument, root);
  if (target.kind === 'file') return nameOfFile(pid, Number(argument), root);
  // struct pollfd begins with the file descriptor.
  const bytes = readMemory(pid, argument, 4, root);
  return bytes === null || bytes.length < 4 ? null : nameOfFile(pid, bytes.readInt32LE(0), root);
}

function nameOfFile(pid: number, file: number, root: string): string | null {
  const link = readLink(root, `/proc/${pid}/fd/${file}`);
  if (link === null) return null;
  const inode = inodeOf(link);
  if (inode === undefined) return link.replace(/^(pipe|anon_inode):.*/, '$1');
  const socket = socketPeer(pid, inode, root);
  if (socket === null || socket.peer === null) return 'socket';
  return socket.peer.endsWith(LOOKUP_PORT) ? `lookup at ${socket.peer}` : `${socket.protocol} ${socket.peer}`;
}
