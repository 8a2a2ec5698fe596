/** Threads of libuv's pool when UV_THREADPOOL_SIZE is not set (threadpool.c, `default_threads`). */
export const DEFAULT_POOL_SIZE = 4;
/** The most threads that libuv creates (threadpool.c, `MAX_THREADPOOL_SIZE`). */
export const LARGEST_POOL_SIZE = 1024;
/** Since 1.52 libuv reads the variable into a buffer of this size, and treats a longer text as not set. */
const BUFFER = 16;

/** The threads that libuv creates for a value of UV_THREADPOOL_SIZE: atoi(3), 0 counts as 1, negative numbers as very large. */
export function poolSizeOf(text: string | null, libuv: string = process.versions.uv): number {
  if (text === null || (isSince(52, libuv) && text.length >= BUFFER)) return DEFAULT_POOL_SIZE;
  const digits = /^\s*([+-]?\d+)/.exec(text)?.[1] ?? '0';
  const size = Number(BigInt.asUintN(32, BigInt(digits.replace('+', ''))));
  return clampPoolSize(size);
}

/** Whether a version of libuv is 1.`minor` or later. */
export function isSince(minor: number, libuv: string): boolean {
  const [major = 0, actualMinor = 0] = libuv.split('.').map(Number);
  return major > 1 || (major === 1 && actualMinor >= minor);
}

export const clampPoolSize = (size: number): number => Math.min(LARGEST_POOL_SIZE, Math.max(1, size));

/** How many slow I/O jobs (dns.lookup, dns.lookupService) run at a time (threadpool.c, `slow_work_thread_threshold`). */
export const slowJobLimit = (size: number): number => Math.floor((size + 1) / 2);
