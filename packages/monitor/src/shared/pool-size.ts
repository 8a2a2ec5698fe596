import { MAX_THREADS } from '../options.js';

const DEFAULT_SIZE = 4;
/** From libuv 1.52 on, a longer value counts as not set. */
const LONGEST_TEXT = 15;
const FIRST_LIMITED = 1052;

/** The pool size that libuv derives from `UV_THREADPOOL_SIZE`: `atoi` as an unsigned number. */
export function sizeFor(text: string | undefined): number {
  if (text === undefined) return DEFAULT_SIZE;
  const [major = 0, minor = 0] = process.versions.uv.split('.').map(Number);
  if (major * 1000 + minor >= FIRST_LIMITED && text.length > LONGEST_TEXT) return DEFAULT_SIZE;
  const number = Number(/^[ \t-\r]*([+-]?\d+)/.exec(text)?.[1] ?? 0) >>> 0;
  return number === 0 ? 1 : Math.min(number, MAX_THREADS);
}
