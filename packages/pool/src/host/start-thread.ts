import { Worker } from 'node:worker_threads';
import { SOURCE } from '../worker/source.js';

/** The options of Node's Worker that the pool passes on. */
export type ThreadOptions = ConstructorParameters<typeof Worker>[1];

/** A worker's code is a text, since a bundler or an archive would lose a file. As a script it starts soonest. */
export function startThread(options: ThreadOptions): Worker {
  const copy = Object.assign(Object.create(null), options) as NonNullable<ThreadOptions>;
  if (!isToldToImport(copy)) return new Worker(SOURCE, Object.assign(copy, { eval: true }));
  // A script has a place in argv, such a module has none.
  const module = `process.argv.splice(1, 0, '');${SOURCE}`;
  return new Worker(new URL(`data:text/javascript,${encodeURIComponent(module)}`), copy);
}

function isToldToImport({ execArgv, env }: NonNullable<ThreadOptions>): boolean {
  const { NODE_OPTIONS = '' } = typeof env === 'object' ? env : process.env;
  return [...(execArgv ?? process.execArgv), NODE_OPTIONS].some((option) => option.includes('--import'));
}
