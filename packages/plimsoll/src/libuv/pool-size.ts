/** Threads of libuv's pool when UV_THREADPOOL_SIZE is not set (threadpool.c, `default_threads`). */
export const DEFAULT_POOL_SIZE = 4;
/** The most threads that libuv creates (threadpool.c, `MAX_THREADPOOL_SIZE`). */
export const LARGEST_POOL_SIZE = 1024;
/** Since 1.52 libuv reads the variable into so many bytes and takes what does not fit for not set. */
const BUFFER = 16;

/**
 * How many threads libuv creates for a value of UV_THREADPOOL_SIZE: atoi(3), 0 is 1, and what is negative is very large.
 *
 * @param text the variable; `null` when it is not set
 */
export function poolSizeOf(text: string | null, libuv: string = process.versions.uv): number {
  if (text === null || (isSince(52, libuv) && text.length >= BUFFER)) return DEFAULT_POOL_SIZE;
  const digits = /^\s*([+-]?\d+)/.exec(text)?.[1] ?? '0';
  const size = Number(BigInt.asUintN(32, BigInt(digits.replace('+', ''))));
  return clampPoolSize(size);
}

/** Whether a version of libuv is 1.`minor` or later. */
export function isSince(minor: number, libuv: string): boolean {
  const [major = 0, itsMinor = 0] = libuv.split('.').map(Number);
  return major > 1 || (major === 1 && itsMinor >= minor);
}

/** The nearest size that libuv can have. */
export const clampPoolSize = (size: number): number => Math.min(LARGEST_POOL_SIZE, Math.max(1, size));

/**
 * How many jobs of slow I/O (dns.lookup, dns.lookupService) a pool runs at a time, half of its threads rounded up
 * (threadpool.c, `slow_work_thread_threshold`).
 */
export const slowJobLimit = (size: number): number => Math.floor((size + 1) / 2);
