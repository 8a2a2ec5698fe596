import { PoolError } from '../errors.js';

/**
 * A runtime may lack what the pool stands on: a version that is too old, the page of an Electron window, a flag.
 *
 * @throws PoolError PLIMSOLL_POOL_UNSUPPORTED_RUNTIME
 */
export function checkRuntime(): void {
  const missing = lacks();
  if (missing === undefined) return;
  const message =
    `This runtime has no ${missing}. @plimsoll/pool needs Node.js ^20.19 or >= 22.12, Bun 1.4, Deno 2.9, ` +
    "or the main process of Electron that has such a Node.js; a web page's threads will not do";
  throw new PoolError('PLIMSOLL_POOL_UNSUPPORTED_RUNTIME', message);
}

function lacks(): string | undefined {
  if (typeof SharedArrayBuffer !== 'function') return 'SharedArrayBuffer';
  return typeof (Atomics as { waitAsync?: unknown }).waitAsync === 'function'
    ? undefined
    : 'Atomics.waitAsync';
}
