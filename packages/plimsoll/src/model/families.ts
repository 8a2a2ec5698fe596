import { itemAt } from '../collections/item-at.js';
import type { Workload } from './workload.js';

export const NOBODY = -1;

/**
 * What follows from what, as lists that need no memory of their own. A link below the number of steps leads from a parent to
 * the step of that number, one from there on is a join.
 */
export interface Families {
  /** The steps from outside that come at their own time, in their order. */
  readonly roots: Int32Array;
  /** Of each step the first link to one that follows from it, and of each link the next from the same step; -1 for none. */
  readonly firstLink: Int32Array;
  readonly nextLink: Int32Array;
  /** The step that a join leads to, the first join first. */
  readonly joined: Int32Array;
  /** For how many steps each one waits. */
  readonly waitsFor: Int32Array;
}

/** Link every step with those that follow from it. */
export function linkFamilies({ count, parent, atMs, joins, requests }: Workload): Families {
  const joined = joins?.step ?? new Int32Array(0);
  const firstLink = new Int32Array(count).fill(NOBODY);
  const nextLink = new Int32Array(count + joined.length).fill(NOBODY);
  const waitsFor = new Int32Array(count);
  const link = (of: number, step: number, number: number): void => {
    nextLink[number] = itemAt(firstLink, of);
    firstLink[of] = number;
    waitsFor[step] = itemAt(waitsFor, step) + 1;
  };
  for (let join = joined.length - 1; join >= 0; join--)
    link(itemAt((joins as { after: Int32Array }).after, join), itemAt(joined, join), count + join);
  const asked = new Set(requests?.arrival.filter((_, request) => requests.follows[request] === 1));
  const roots: number[] = [];
  for (let step = count - 1; step >= 0; step--) {
    const of = itemAt(parent, step);
    if (of !== NOBODY) link(of, step, step);
    else if (!asked.has(step)) roots.push(step);
  }
  roots.reverse();
  const time = (root: number): number => itemAt(atMs, root);
  const isSorted = roots.every((root, index) => index === 0 || time(itemAt(roots, index - 1)) <= time(root));
  if (!isSorted) roots.sort((a, b) => time(a) - time(b) || a - b);
  return { roots: Int32Array.from(roots), firstLink, nextLink, joined, waitsFor };
}
