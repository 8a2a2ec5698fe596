/** Which TCP ports of 127.0.0.1 are listened on, and by whom: by the tables of /proc/PID/net and the open files of processes. */
import { listNames, parseWhole, readLink, readText } from './read.js';

/** A socket that takes connections at an address that 127.0.0.1 or [::1] reaches. */
export interface Listener {
  readonly port: number;
  /** As in `socket:[INODE]`, where /proc/PID/fd/N leads. */
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

/** All of them in the network namespace of a process; none where there is no /proc. */
export const localListeners = (pid: number, root = '/'): Listener[] =>
  ['tcp', 'tcp6'].flatMap((table) =>
    (readText(root, `/proc/${pid}/net/${table}`) ?? '').split('\n').flatMap((line) => {
      const [, address = '', , state, , , , , , inode] = line.trim().split(/\s+/);
      const [hex = '', port = ''] = address.split(':');
      const host = LOCAL.get(hex);
      return state === LISTENS && host !== undefined && inode !== undefined
        ? [{ port: Number.parseInt(port, 16), inode, host }]
        : [];
    }),
  );

/** The sockets that a process has open, by their inodes, first the one that was opened first; none when its files may not be read. */
export const socketsOf = (pid: number, root = '/'): ReadonlySet<string> =>
  new Set(
    (listNames(root, `/proc/${pid}/fd`) ?? [])
      .toSorted((a, b) => Number(a) - Number(b))
      .flatMap(
        (file) => /^socket:\[(\d+)\]$/.exec(readLink(root, `/proc/${pid}/fd/${file}`) ?? '')?.[1] ?? [],
      ),
  );

/** Those that a process itself has open, in the order of its files. */
export function listenersOf(pid: number, root = '/'): Listener[] {
  const all = localListeners(pid, root);
  return [...socketsOf(pid, root)].flatMap((open) => all.filter(({ inode }) => inode === open));
}

/** Who has a socket open; `null` when it may not be known. */
export const holderOf = (inode: string, root = '/'): number | null =>
  (listNames(root, '/proc') ?? [])
    .map(parseWhole)
    .find((pid) => pid !== null && socketsOf(pid, root).has(inode)) ?? null;
