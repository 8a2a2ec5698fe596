import type { Workload } from './workload.js';

export const NOBODY = -1;

/** What follows from what, as lists that need no memory of their own. */
export interface Families {
  /** The jobs from outside in the order in which they come. */
  readonly roots: Int32Array;
  /** Of each job the first one that follows from it, and the next one that follows from the same; -1 for none. */
  readonly firstChild: Int32Array;
  readonly nextChild: Int32Array;
}

/** Link every job with those that follow from it. */
export function linkFamilies({ count, parent, atMs }: Workload): Families {
  const firstChild = new Int32Array(count).fill(NOBODY);
  const nextChild = new Int32Array(count).fill(NOBODY);
  const roots: number[] = [];
  for (let job = count - 1; job >= 0; job--) {
    const of = parent[job] as number;
    if (of === NOBODY) roots.push(job);
    else {
      nextChild[job] = firstChild[of] as number;
      firstChild[of] = job;
    }
  }
  roots.reverse();
  const time = (root: number): number => atMs[root] as number;
  const isSorted = roots.every(
    (root, index) => index === 0 || time(roots[index - 1] as number) <= time(root),
  );
  if (!isSorted) roots.sort((a, b) => time(a) - time(b) || a - b);
  return { roots: Int32Array.from(roots), firstChild, nextChild };
}
