import { itemAt } from '../collections/item-at.js';
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
    const of = itemAt(parent, job);
    if (of === NOBODY) roots.push(job);
    else {
      nextChild[job] = itemAt(firstChild, of);
      firstChild[of] = job;
    }
  }
  roots.reverse();
  const time = (root: number): number => itemAt(atMs, root);
  const isSorted = roots.every((root, index) => index === 0 || time(itemAt(roots, index - 1)) <= time(root));
  if (!isSorted) roots.sort((a, b) => time(a) - time(b) || a - b);
  return { roots: Int32Array.from(roots), firstChild, nextChild };
}
