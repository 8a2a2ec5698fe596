export type Target =
  | { readonly kind: 'file'; readonly argument: number }
  | { readonly kind: 'path'; readonly argument: number }
  | { readonly kind: 'poll'; readonly argument: number }
  | { readonly kind: 'none' };

interface Known {
  readonly name: string;
  readonly target: Target;
  /** A thread in it has nothing to do: it waits for work. */
  readonly isIdle: boolean;
}

const FILE: Target = { kind: 'file', argument: 0 };
const PATH: Target = { kind: 'path', argument: 0 };
const PATH_AT: Target = { kind: 'path', argument: 1 };
const POLL: Target = { kind: 'poll', argument: 0 };
const NONE: Target = { kind: 'none' };
/** A thread that waits for a lock or a condition, or for events, has nothing to do. */
const IDLE: Target = { kind: 'none' };

/** By name: numbers on x64 and on arm64 (`null` where there is none), and what the arguments name. */
const CALLS: readonly (readonly [name: string, x64: number | null, arm64: number | null, target: Target])[] =
  [
    ['read', 0, 63, FILE],
    ['write', 1, 64, FILE],
    ['open', 2, null, PATH],
    ['close', 3, 57, FILE],
    ['stat', 4, null, PATH],
    ['fstat', 5, 80, FILE],
    ['lstat', 6, null, PATH],
    ['poll', 7, null, POLL],
    ['pread64', 17, 67, FILE],
    ['pwrite64', 18, 68, FILE],
    ['readv', 19, 65, FILE],
    ['writev', 20, 66, FILE],
    ['access', 21, null, PATH],
    ['nanosleep', 35, 101, NONE],
    ['sendfile', 40, 71, FILE],
    ['connect', 42, 203, FILE],
    ['sendto', 44, 206, FILE],
    ['recvfrom', 45, 207, FILE],
    ['recvmsg', 47, 212, FILE],
    ['fsync', 74, 82, FILE],
    ['fdatasync', 75, 83, FILE],
    ['ftruncate', 77, 46, FILE],
    ['getdents64', 217, 61, FILE],
    ['rename', 82, null, PATH],
    ['mkdir', 83, null, PATH],
    ['unlink', 87, null, PATH],
    ['readlink', 89, null, PATH],
    ['preadv', 295, 69, FILE],
    ['pwritev', 296, 70, FILE],
    ['clock_nanosleep', 230, 115, NONE],
    ['openat', 257, 56, PATH_AT],
    ['mkdirat', 258, 34, PATH_AT],
    ['newfstatat', 262, 79, PATH_AT],
    ['unlinkat', 263, 35, PATH_AT],
    ['ppoll', 271, 73, POLL],
    ['getrandom', 318, 278, NONE],
    ['copy_file_range', 326, 285, FILE],
    ['statx', 332, 291, PATH_AT],
    ['sendmmsg', 307, 269, FILE],
    ['flock', 73, 32, FILE],
    ['futex', 202, 98, IDLE],
    ['epoll_wait', 232, null, IDLE],
    ['epoll_pwait', 281, 22, IDLE],
    ['epoll_pwait2', 441, 441, IDLE],
    ['rt_sigtimedwait', 128, 137, IDLE],
  ];

const tableOf = (arch: 1 | 2): Map<number | null, Known> =>
  new Map(CALLS.map((call) => [call[arch], { name: call[0], target: call[3], isIdle: call[3] === IDLE }]));

const TABLES: Partial<Record<NodeJS.Architecture, ReturnType<typeof tableOf>>> = {
  x64: tableOf(1),
  arm64: tableOf(2),
};

export const systemCall = (number: number, arch: NodeJS.Architecture = process.arch): Known =>
  TABLES[arch]?.get(number) ?? { name: `system call ${number}`, target: NONE, isIdle: false };
