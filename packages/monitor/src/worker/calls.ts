import { lookup } from 'node:dns';
import { access } from 'node:fs';
import type { Call } from './prober.js';

// Calls for canaries: they use a pool thread on every Node, with every option, and end at once.
// docs/internals/monitor.md has the measurements.

const ROOT = '/';

/** Under `--permission` Node refuses paths that it may not read at once, without the pool. */
const mayRead = process.permission?.has('fs.read', ROOT) ?? true;

/** Fast: libuv never passes `access` to io_uring, and the kernel has the root in its cache. */
export const fast: Call = mayRead ? (done) => access(ROOT, done) : randomByte();

/** Loads the module only if needed: it takes a megabyte. */
function randomByte(): Call {
  const { randomFill } = process.getBuiltinModule('node:crypto');
  const byte = Buffer.alloc(1);
  return (done) => randomFill(byte, done);
}

/** Slow: only `getaddrinfo` parses this address (inet_aton(3)), so Node calls libuv, which asks no server. */
export const slow: Call = (done) => lookup('127.1', 4, done);
