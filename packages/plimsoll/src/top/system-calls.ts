/** What the arguments of a system call name. */
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

const file = (argument = 0): Target => ({ kind: 'file', argument });
const path = (argument = 0): Target => ({ kind: 'path', argument });
const NONE: Target = { kind: 'none' };

/** By name: numbers on x64 and on arm64 (`null` where there is none), and what the arguments name. */
const CALLS: readonly (readonly [name: string, x64: number | null, arm64: number | null, target: Target])[] =
  [
    ['read', 0, 63, file()],
    ['write', 1, 64, file()],
    ['open', 2, null, path()],
    ['close', 3, 57, file()],
    ['stat', 4, null, path()],
    ['fstat', 5, 80, file()],
    ['lstat', 6, null, path()],
    ['poll', 7, null, { kind: 'poll', argument: 0 }],
    ['pread64', 17, 67, file()],
    ['pwrite64', 18, 68, file()],
    ['readv', 19, 65, file()],
    ['writev', 20, 66, file()],
    ['access', 21, null, path()],
    ['nanosleep', 35, 101, NONE],
    ['sendfile', 40, 71, file()],
    ['connect', 42, 203, file()],
    ['sendto', 44, 206, file()],
    ['recvfrom', 45, 207, file()],
    ['recvmsg', 47, 212, file()],
    ['fsync', 74, 82, file()],
    ['fdatasync', 75, 83, file()],
    ['ftruncate', 77, 46, file()],
    ['getdents64', 217, 61, file()],
    ['rename', 82, null, path()],
    ['mkdir', 83, null, path()],
    ['unlink', 87, null, path()],
    ['readlink', 89, null, path()],
    ['preadv', 295, 69, file()],
    ['pwritev', 296, 70, file()],
    ['clock_nanosleep', 230, 115, NONE],
    ['openat', 257, 56, path(1)],
    ['mkdirat', 258, 34, path(1)],
    ['newfstatat', 262, 79, path(1)],
    ['unlinkat', 263, 35, path(1)],
    ['ppoll', 271, 73, { kind: 'poll', argument: 0 }],
    ['getrandom', 318, 278, NONE],
    ['copy_file_range', 326, 285, file()],
    ['statx', 332, 291, path(1)],
    ['sendmmsg', 307, 269, file()],
    ['flock', 73, 32, file()],
  ];

/** A thread that waits for a lock or a condition, or for events, has nothing to do. */
const IDLE: readonly (readonly [name: string, x64: number | null, arm64: number | null])[] = [
  ['futex', 202, 98],
  ['epoll_wait', 232, null],
  ['epoll_pwait', 281, 22],
  ['epoll_pwait2', 441, 441],
  ['rt_sigtimedwait', 128, 137],
];

function tableOf(arch: 'x64' | 'arm64'): Map<number, Known> {
  const numberOf = ([, x64, arm64]: readonly [string, number | null, number | null, ...unknown[]]):
    | number
    | null => (arch === 'x64' ? x64 : arm64);
  const known = new Map<number, Known>();
  for (const call of CALLS) {
    const number = numberOf(call);
    if (number !== null) known.set(number, { name: call[0], target: call[3], isIdle: false });
  }
  for (const call of IDLE) {
    const number = numberOf(call);
    if (number !== null) known.set(number, { name: call[0], target: NONE, isIdle: true });
  }
  return known;
}

const TABLES: Partial<Record<NodeJS.Architecture, Map<number, Known>>> = {
  x64: tableOf('x64'),
  arm64: tableOf('arm64'),
};

/** A system call by its number. */
export const systemCall = (number: number, arch: NodeJS.Architecture = process.arch): Known =>
  TABLES[arch]?.get(number) ?? { name: `system call ${number}`, target: NONE, isIdle: false };
