import { lookup } from 'node:dns';
import { access } from 'node:fs';
import type { Call } from './prober.js';

// What a canary calls. Whether it succeeds does not matter: what counts is that a thread of the pool takes it up, on every Node
// and with every option, and puts it away at once. The measurements are in docs/internals/monitor.md.

const ROOT = '/';

/** Under `--permission` Node refuses to look at what it is not allowed to read, at once and without the pool. */
const mayRead = process.permission?.has('fs.read', ROOT) ?? true;

/**
 * Fast: libuv never hands `access` to io_uring, which `fstat`, `stat`, `open` and `close` go to on Node 20 with
 * `UV_USE_IO_URING=1`, past the pool. The root is in the kernel's cache.
 */
export const fast: Call = mayRead ? (done) => access(ROOT, done) : randomByte();

/** Loads the module where it is needed only: it takes a megabyte. */
function randomByte(): Call {
  const { randomFill } = process.getBuiltinModule('node:crypto');
  const byte = Buffer.alloc(1);
  return (done) => randomFill(byte, done);
}

/**
 * Slow: a text that `getaddrinfo` reads as an address by itself (inet_aton(3): 127.0.0.1), so it opens no file and asks no
 * server; but not `net.isIP`, or Node would not ask libuv at all.
 */
export const slow: Call = (done) => lookup('127.1', 4, done);
