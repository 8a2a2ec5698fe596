import { Worker } from 'node:worker_threads';
import type { Boot } from '../shared/messages.js';
import { BOOT, ENTRY } from '../worker/source.js';
import { codeCache } from './code-cache.js';

export type ThreadOptions = ConstructorParameters<typeof Worker>[1];

/** A worker's code is a string, because bundlers and archives would lose a file. A script starts sooner than a module. */
export function startThread(options: ThreadOptions): Worker {
  const copy = Object.assign(Object.create(null), options) as NonNullable<ThreadOptions>;
  const thread = isToldToImport(copy)
    ? // Unlike a script, a data: module has no entry in `process.argv`.
      new Worker(dataUrlOf(`process.argv.splice(1, 0, '');${BOOT}`), copy)
    : new Worker(BOOT, Object.assign(copy, { eval: true }));
  const { code, isWanted } = codeCache;
  thread.postMessage({ entry: ENTRY, code, isCodeWanted: isWanted && code === undefined } satisfies Boot);
  return thread;
}

const dataUrlOf = (module: string): URL => new URL(`data:text/javascript,${encodeURIComponent(module)}`);

function isToldToImport({ execArgv, env }: NonNullable<ThreadOptions>): boolean {
  const { NODE_OPTIONS = '' } = typeof env === 'object' ? env : process.env;
  return [...(execArgv ?? process.execArgv), NODE_OPTIONS].some((option) => option.includes('--import'));
}
