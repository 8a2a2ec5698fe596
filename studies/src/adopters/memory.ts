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

function descendants(pid: number): number[] {
  try {
    return readdirSync(`/proc/${pid}/task`)
      .flatMap((thread) => readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8').trim().split(' '))
      .filter((child) => child !== '')
      .flatMap((child) => [Number(child), ...descendants(Number(child))]);
  } catch {
    // It has ended.
    return [];
  }
}

/** Without the pages of files, which they share with the first. */
function privateMb(pid: number): number {
  try {
    const [, resident = 0, shared = 0] = readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ').map(Number);
    return (resident - shared) * PAGE_MB;
  } catch {
    return 0;
  }
}
