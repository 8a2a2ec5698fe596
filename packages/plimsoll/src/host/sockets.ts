/**
 * Sockets of processes, by the tables of /proc/PID/net and their open files. An inode is that of `socket:[INODE]`,
 * where /proc/PID/fd/N leads.
 */
import { listNumbers, readLink, readText } from './read.js';

interface Row {
  readonly local: string;
  readonly remote: string;
  readonly state: string;
  readonly inode: string;
}

const tableOf = (pid: number, table: string, root: string): Row[] =>
  (readText(root, `/proc/${pid}/net/${table}`) ?? '').split('\n').flatMap((line) => {
    const [, local = '', remote = '', state = '', , , , , , inode] = line.trim().split(/\s+/);
    return inode === undefined ? [] : [{ local, remote, state, inode }];
  });

/** A socket that takes connections at an address that 127.0.0.1 or [::1] reaches. */
export interface Listener {
  readonly port: number;
  readonly inode: string;
  readonly host: '127.0.0.1' | '[::1]';
}

const LISTENS = '0A';
/** 127.0.0.1 and 0.0.0.0; ::1 and ::. Words of the network's bytes, printed as numbers of a little-endian machine. */
const LOCAL = new Map<string, Listener['host']>([
  ['0100007F', '127.0.0.1'],
  ['00000000', '127.0.0.1'],
  ['00000000000000000000000001000000', '[::1]'],
  ['00000000000000000000000000000000', '127.0.0.1'],
]);

/** All of them in the network namespace of a process. */
export const localListeners = (pid: number, root = '/'): Listener[] =>
  ['tcp', 'tcp6'].flatMap((table) =>
    tableOf(pid, table, root).flatMap(({ local, state, inode }) => {
      const [hex = '', port = ''] = local.split(':');
      const host = LOCAL.get(hex);
      return state === LISTENS && host !== undefined
        ? [{ port: Number.parseInt(port, 16), inode, host }]
        : [];
    }),
  );

export const inodeOf = (link: string | null): string | undefined =>
  /^socket:\[(\d+)\]$/.exec(link ?? '')?.[1];

/** The sockets that a process has open, first the one that was opened first; none when its files may not be read. */
const socketsOf = (pid: number, root: string): string[] =>
  (listNumbers(root, `/proc/${pid}/fd`) ?? []).flatMap(
    (file) => inodeOf(readLink(root, `/proc/${pid}/fd/${file}`)) ?? [],
  );

/** Those that a process itself has open, in the order of its files. */
export function listenersOf(pid: number, root = '/'): Listener[] {
  const all = localListeners(pid, root);
  return [...new Set(socketsOf(pid, root))].flatMap((open) => all.filter(({ inode }) => inode === open));
}

export const holderOf = (inode: string, root = '/'): number | null =>
  (listNumbers(root, '/proc') ?? []).find((pid) => socketsOf(pid, root).includes(inode)) ?? null;

interface SocketPeer {
  readonly protocol: 'udp' | 'tcp';
  /** `127.0.0.53:53`; `null` for a socket without a peer. */
  readonly peer: string | null;
}

export function socketPeer(pid: number, inode: string, root = '/'): SocketPeer | null {
  for (const table of ['udp', 'udp6', 'tcp', 'tcp6'] as const) {
    const row = tableOf(pid, table, root).find((entry) => entry.inode === inode);
    if (row !== undefined)
      return { protocol: table.startsWith('udp') ? 'udp' : 'tcp', peer: parseAddress(row.remote) };
  }
  return null;
}

/** An address of /proc/net/udp: 32-bit words of the network's bytes, as numbers of this machine; `null` without a peer. */
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
