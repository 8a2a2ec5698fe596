import { fileURLToPath } from 'node:url';

/** The path of a worker file: the one with all tasks, or one of `workers/`. */
export const workerFile = (name?: string): string =>
  fileURLToPath(new URL(name === undefined ? './tasks.js' : `./workers/${name}.js`, import.meta.url));
