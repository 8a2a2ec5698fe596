import { readdirSync, readFileSync } from 'node:fs';

const PAGE_MB = 4096 / 2 ** 20;
const EVERY_MS = 25;

/**
 * Watches the processes that one starts, and those that they start: the most memory, in MB, that they had to themselves at once.
 * Always 0 where there is no /proc.
 */
export function watchChildren(pid: number): () => number {
  let peak = 0;
  const timer = setInterval(() => {
    peak = Math.max(
      peak,
      descendants(pid).reduce((sum, child) => sum + privateMb(child), 0),
    );
  }, EVERY_MS);
  return () => {
    clearInterval(timer);
    return peak;
  };
}

/** Of a process or thread that has ended there is nothing. */
function tryRead<Value>(path: string, read: (path: string) => Value, otherwise: Value): Value {
  try {
    return read(path);
  } catch {
    return otherwise;
  }
}

const textOf = (path: string): string => tryRead(path, (file) => readFileSync(file, 'utf8'), '');

function descendants(pid: number): number[] {
  const threads = tryRead(`/proc/${pid}/task`, (folder) => readdirSync(folder), []);
  return threads
    .flatMap((thread) => textOf(`/proc/${pid}/task/${thread}/children`).split(' '))
    .filter((child) => child !== '')
    .flatMap((child) => [Number(child), ...descendants(Number(child))]);
}

/** Without the pages of files, which they share with the first. */
function privateMb(pid: number): number {
  const [, resident = 0, shared = 0] = textOf(`/proc/${pid}/statm`).split(' ').map(Number);
  return (resident - shared) * PAGE_MB;
}
