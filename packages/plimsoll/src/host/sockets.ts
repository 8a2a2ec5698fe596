/** Sockets of processes, from /proc/PID/net and their open files: /proc/PID/fd/N links to `socket:[INODE]`. */
import { listNumbers, readLink, readText } from './read.js';

const tableOf = (pid: number, table: string, root: string) =>
  (readText(root, `/proc/${pid}/net/${table}`) ?? '').split('\n').flatMap((line) => {
    const [, local = '', remote = '', state = '', , , , , , inode] = line.trim().split(/\s+/);
    return inode === undefined ? [] : [{ local, remote, state, inode }];
  });

/** A socket that accepts connections to 127.0.0.1 or [::1]. */
export interface Listener {
  readonly port: number;
  readonly inode: string;
  readonly host: '127.0.0.1' | '[::1]';
}

const LISTENS = '0A';
/** 127.0.0.1 and 0.0.0.0; ::1 and ::. Words in network byte order, printed as numbers of a little-endian machine. */
const LOCAL = new Map<string, Listener['host']>([
  ['0100007F', '127.0.0.1'],
  ['00000000', '127.0.0.1'],
  ['00000000000000000000000001000000', '[::1]'],
  ['00000000000000000000000000000000', '127.0.0.1'],
]);

/** The local listeners in the network namespace of a process. */
export const localListeners = (pid: number, root = '/'): Listener[] =>
  ['tcp', 'tcp6'].flatMap((table) =>
    tableOf(pid, table, root).flatMap(({ local, state, inode }) => {
      const [hex = '', port = ''] = local.split(':');
      const host = LOCAL.get(hex);
      const isListener = state === LISTENS && host !== undefined;
      return isListener ? [{ port: Number.parseInt(port, 16), inode, host }] : [];
    }),
  );

export const inodeOf = (link: string | null): string | undefined =>
  /^socket:\[(\d+)\]$/.exec(link ?? '')?.[1];

/** The open sockets of a process, the first opened first; none when its files may not be read. */
export const socketsOf = (pid: number, root = '/'): string[] =>
  (listNumbers(root, `/proc/${pid}/fd`) ?? []).flatMap(
    (file) => inodeOf(readLink(root, `/proc/${pid}/fd/${file}`)) ?? [],
  );

/** The local listeners that a process itself has open, in the order of its files. */
export function listenersOf(pid: number, root = '/', except: readonly string[] = []): Listener[] {
  const open = [...new Set(socketsOf(pid, root))].filter((inode) => !except.includes(inode));
  const all = open.length === 0 ? [] : localListeners(pid, root);
  return open.flatMap((one) => all.filter(({ inode }) => inode === one));
}

export const holderOf = (inode: string, root = '/'): number | null =>
  (listNumbers(root, '/proc') ?? []).find((pid) => socketsOf(pid, root).includes(inode)) ?? null;

/** `udp` and `127.0.0.53:53`; a socket may have no peer. */
export function socketPeer(pid: number, inode: string, root = '/') {
  for (const table of ['udp', 'udp6', 'tcp', 'tcp6']) {
    const row = tableOf(pid, table, root).find((entry) => entry.inode === inode);
    if (row !== undefined) return { protocol: table.slice(0, 3), peer: parseAddress(row.remote) };
  }
  return null;
}

/** An address of /proc/net/udp: 32-bit words in network byte order, as numbers of this machine; `null` without a peer. */
export function parseAddress(text: string): string | null {
  const [hex = '', portHex = ''] = text.split(':');
  const port = Number.parseInt(portHex, 16);
  if (port === 0 || !/^([0-9A-F]{8}|[0-9A-F]{32})$/i.test(hex)) return null;
  const bytes = Buffer.from(hex, 'hex').swap32();
  const isMapped = bytes.toString('hex').startsWith(`${'0'.repeat(20)}ffff`);
  if (bytes.length === 4 || isMapped) return `${bytes.subarray(-4).join('.')}:${port}`;
  const groups = Array.from({ length: 8 }, (_, index) => bytes.readUInt16BE(index * 2).toString(16));
  return `[${groups.join(':')}]:${port}`;
}
