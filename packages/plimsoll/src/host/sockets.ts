/** Which socket a file descriptor is, by the tables of /proc/PID/net. */
import { readText } from './read.js';

export interface SocketPeer {
  readonly protocol: 'udp' | 'tcp';
  /** `127.0.0.53:53`; `null` for a socket without a peer. */
  readonly peer: string | null;
}

/**
 * The peer of a socket.
 *
 * @param inode as in `socket:[INODE]`, where /proc/PID/fd/N leads.
 * @returns `null` for a socket of another kind, or one that is gone.
 * @example
 * socketPeer(4711, '98765'); // { protocol: 'udp', peer: '127.0.0.53:53' }
 */
export function socketPeer(pid: number, inode: string, root = '/'): SocketPeer | null {
  for (const table of ['udp', 'udp6', 'tcp', 'tcp6'] as const) {
    const line = (readText(root, `/proc/${pid}/net/${table}`) ?? '')
      .split('\n')
      .map((text) => text.trim().split(/\s+/))
      .find((fields) => fields[9] === inode);
    const remote = line?.[2];
    if (remote === undefined) continue;
    return { protocol: table.startsWith('udp') ? 'udp' : 'tcp', peer: parseAddress(remote) };
  }
  return null;
}

/**
 * An address of /proc/net/udp: 32-bit words of the network's bytes, printed as numbers of this machine's order.
 *
 * @returns `null` for that of a socket without a peer.
 * @example
 * parseAddress('3500007F:0035'); // '127.0.0.53:53'
 */
export function parseAddress(text: string): string | null {
  const [hex = '', portHex = ''] = text.split(':');
  const port = Number.parseInt(portHex, 16);
  if (port === 0 || !/^([0-9A-F]{8}){1,4}$/i.test(hex)) return null;
  const words = hex.match(/.{8}/g) ?? [];
  const bytes = words.flatMap((word) =>
    (word.match(/../g) ?? []).map((two) => Number.parseInt(two, 16)).reverse(),
  );
  if (bytes.length === 4) return `${bytes.join('.')}:${port}`;
  const isMapped = bytes.slice(0, 10).every((byte) => byte === 0) && bytes[10] === 255 && bytes[11] === 255;
  if (isMapped) return `${bytes.slice(12).join('.')}:${port}`;
  const groups = Array.from({ length: 8 }, (_, index) =>
    (((bytes[index * 2] ?? 0) << 8) | (bytes[index * 2 + 1] ?? 0)).toString(16),
  );
  return `[${groups.join(':')}]:${port}`;
}
