/** What the first argument of a system call names, or the second one of `path-at`; a thread in an `idle` call waits for work. */
type Target = 'file' | 'path' | 'path-at' | 'poll' | 'nothing' | 'idle';

/** Numbers on x64 and on arm64; `null` where the call does not exist. */
const CALLS: readonly (readonly [name: string, x64: number | null, arm64: number | null, target: Target])[] =
  [
    ['read', 0, 63, 'file'],
    ['write', 1, 64, 'file'],
    ['open', 2, null, 'path'],
    ['close', 3, 57, 'file'],
    ['stat', 4, null, 'path'],
    ['fstat', 5, 80, 'file'],
    ['lstat', 6, null, 'path'],
    ['poll', 7, null, 'poll'],
    ['pread64', 17, 67, 'file'],
    ['pwrite64', 18, 68, 'file'],
    ['readv', 19, 65, 'file'],
    ['writev', 20, 66, 'file'],
    ['access', 21, null, 'path'],
    ['nanosleep', 35, 101, 'nothing'],
    ['sendfile', 40, 71, 'file'],
    ['connect', 42, 203, 'file'],
    ['sendto', 44, 206, 'file'],
    ['recvfrom', 45, 207, 'file'],
    ['recvmsg', 47, 212, 'file'],
    ['flock', 73, 32, 'file'],
    ['fsync', 74, 82, 'file'],
    ['fdatasync', 75, 83, 'file'],
    ['ftruncate', 77, 46, 'file'],
    ['rename', 82, null, 'path'],
    ['mkdir', 83, null, 'path'],
    ['unlink', 87, null, 'path'],
    ['readlink', 89, null, 'path'],
    ['rt_sigtimedwait', 128, 137, 'idle'],
    ['futex', 202, 98, 'idle'],
    ['getdents64', 217, 61, 'file'],
    ['clock_nanosleep', 230, 115, 'nothing'],
    ['epoll_wait', 232, null, 'idle'],
    ['openat', 257, 56, 'path-at'],
    ['mkdirat', 258, 34, 'path-at'],
    ['newfstatat', 262, 79, 'path-at'],
    ['unlinkat', 263, 35, 'path-at'],
    ['ppoll', 271, 73, 'poll'],
    ['epoll_pwait', 281, 22, 'idle'],
    ['preadv', 295, 69, 'file'],
    ['pwritev', 296, 70, 'file'],
    ['sendmmsg', 307, 269, 'file'],
    ['getrandom', 318, 278, 'nothing'],
    ['copy_file_range', 326, 285, 'file'],
    ['statx', 332, 291, 'path-at'],
    ['epoll_pwait2', 441, 441, 'idle'],
  ];

const tableOf = (column: 1 | 2): Map<number | null, { name: string; target: Target }> =>
  new Map(CALLS.map((call) => [call[column], { name: call[0], target: call[3] }]));

const TABLES: Partial<Record<NodeJS.Architecture, ReturnType<typeof tableOf>>> = {
  x64: tableOf(1),
  arm64: tableOf(2),
};

export const systemCall = (number: number, arch: NodeJS.Architecture = process.arch) =>
  TABLES[arch]?.get(number) ?? ({ name: `system call ${number}`, target: 'nothing' } as const);
