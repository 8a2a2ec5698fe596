import { lookup } from 'node:dns';
import { access } from 'node:fs';
import type { Call } from './prober.js';

// What a canary calls: what a thread of the pool takes up on every Node and with every option, and puts away at once, successful or
// not. The measurements are in docs/internals/monitor.md.

const ROOT = '/';

/** Under `--permission` Node refuses to look at what it is not allowed to read, at once and without the pool. */
const mayRead = process.permission?.has('fs.read', ROOT) ?? true;

/** Fast: libuv never hands `access` to io_uring, past the pool. The root is in the kernel's cache. */
export const fast: Call = mayRead ? (done) => access(ROOT, done) : randomByte();

/** Loads the module where it is needed only: it takes a megabyte. */
function randomByte(): Call {
  const { randomFill } = process.getBuiltinModule('node:crypto');
  const byte = Buffer.alloc(1);
  return (done) => randomFill(byte, done);
}

/** Slow: an address to `getaddrinfo` (inet_aton(3)), so it asks nobody; but not to `net.isIP`, or Node would not ask libuv at all. */
export const slow: Call = (done) => lookup('127.1', 4, done);
