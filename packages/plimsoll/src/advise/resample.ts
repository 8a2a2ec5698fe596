import { itemAt } from '../collections/item-at.js';
import { selectJobs } from '../model/edit.js';
import type { Workload } from '../model/workload.js';
import type { Random } from '../stats/random.js';

/**
 * Another run as it might have been: jobs from outside, with all that follows from each, in blocks of neighbours drawn at
 * random from the recorded ones, each with the gap that it came after (block bootstrap: Künsch 1989). A block holds the cube
 * root of their number, so that what comes in bunches stays in bunches.
 */
export function resample(work: Workload, random: Random): Workload {
  const { families, roots } = familiesOf(work);
  const length = Math.max(1, Math.round(Math.cbrt(roots.length)));
  const chosen: number[] = [];
  const moments: number[] = [];
  let now = work.atMs[itemAt(roots, 0)] as number;
  for (let drawn = 0; drawn < roots.length; ) {
    const first = random.integer(0, roots.length - 1);
    for (let step = 0; step < length && drawn < roots.length; step++, drawn++) {
      const index = (first + step) % roots.length;
      const root = itemAt(roots, index);
      const before = index === 0 ? 0 : itemAt(work.atMs, root) - itemAt(work.atMs, itemAt(roots, index - 1));
      if (drawn > 0) now += before;
      chosen.push(root);
      moments.push(now);
    }
  }
  return assemble(work, chosen, moments, families);
}

function assemble(
  work: Workload,
  roots: readonly number[],
  moments: readonly number[],
  families: readonly (readonly number[])[],
): Workload {
  const jobs: number[] = [];
  const parents: number[] = [];
  const times: number[] = [];
  const place = new Int32Array(work.count);
  for (const [index, root] of roots.entries())
    for (const job of families[root] as readonly number[]) {
      const of = itemAt(work.parent, job);
      parents.push(of === -1 ? -1 : itemAt(place, of));
      times.push(of === -1 ? itemAt(moments, index) : itemAt(work.atMs, job));
      place[job] = jobs.push(job) - 1;
    }
  return { ...selectJobs(work, jobs), parent: Int32Array.from(parents), atMs: Float64Array.from(times) };
}

/** The jobs from outside in the order in which they come, and with each of them, itself first, what follows from it. */
function familiesOf({ count, parent, atMs }: Workload): { families: number[][]; roots: number[] } {
  const families: number[][] = [];
  const rootOf = new Int32Array(count);
  const roots: number[] = [];
  for (let job = 0; job < count; job++) {
    const of = itemAt(parent, job);
    rootOf[job] = of === -1 ? job : itemAt(rootOf, of);
    if (of === -1) {
      roots.push(job);
      families[job] = [job];
    } else itemAt(families, itemAt(rootOf, job)).push(job);
  }
  roots.sort((a, b) => itemAt(atMs, a) - itemAt(atMs, b) || a - b);
  return { families, roots };
}
