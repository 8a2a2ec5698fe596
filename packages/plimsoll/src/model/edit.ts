import { itemAt } from '../collections/item-at.js';
import type { Workload } from './workload.js';

/** The per-job arrays of a workload; a selection of jobs is a selection from each. */
type Arrays = Pick<
  Workload,
  'loop' | 'slow' | 'parent' | 'atMs' | 'direct' | 'cpuMs' | 'blockedMs' | 'beforeMs' | 'afterMs'
>;

/**
 * The workload without some jobs. What followed from one that is gone follows from what that one followed from.
 *
 * @param keep whether a job stays, by its index
 * @returns `null` when nothing is left
 */
export function withoutJobs(work: Workload, keep: (job: number) => boolean): Workload | null {
  const kept: number[] = [];
  const place = new Int32Array(work.count).fill(-1);
  // Where a job's followers go, and how much later than there they come.
  const parent = Int32Array.from(work.parent);
  const atMs = Float64Array.from(work.atMs);
  for (let job = 0; job < work.count; job++) {
    const of = itemAt(parent, job);
    if (of !== -1 && place[of] === -1) {
      parent[job] = itemAt(parent, of);
      atMs[job] = itemAt(atMs, job) + itemAt(atMs, of);
    }
    if (keep(job)) place[job] = kept.push(job) - 1;
  }
  if (kept.length === 0) return null;
  const edited = selectJobs({ ...work, parent, atMs }, kept);
  for (const [index, job] of kept.entries()) {
    const of = itemAt(parent, job);
    edited.parent[index] = of === -1 ? -1 : itemAt(place, of);
    if (of === -1 || of !== work.parent[job]) edited.direct[index] = 0;
  }
  return edited;
}

/** These jobs in this order; their parents still have the old indices. */
export function selectJobs(work: Workload, jobs: readonly number[]): Workload {
  const pick = <Values extends Int32Array | Float64Array | Uint8Array>(values: Values): Values =>
    values.constructor === Float64Array
      ? (Float64Array.from(jobs, (job) => itemAt(values, job)) as unknown as Values)
      : values.constructor === Int32Array
        ? (Int32Array.from(jobs, (job) => itemAt(values, job)) as unknown as Values)
        : (Uint8Array.from(jobs, (job) => itemAt(values, job)) as unknown as Values);
  const arrays: Arrays = {
    loop: pick(work.loop),
    slow: pick(work.slow),
    parent: pick(work.parent),
    atMs: pick(work.atMs),
    direct: pick(work.direct),
    cpuMs: pick(work.cpuMs),
    blockedMs: pick(work.blockedMs),
    beforeMs: pick(work.beforeMs),
    afterMs: pick(work.afterMs),
  };
  return { ...work, ...arrays, count: jobs.length };
}

/** Divide CPU and blocked time of the jobs that `isMeant` by `factor`. */
export function faster(work: Workload, isMeant: (job: number) => boolean, factor: number): Workload {
  const scale = (value: number, job: number): number => (isMeant(job) ? value / factor : value);
  return { ...work, cpuMs: work.cpuMs.map(scale), blockedMs: work.blockedMs.map(scale) };
}

/** The same work on `instances` processes of one event loop each; every job from outside goes to the next one in turn. */
export function onInstances(work: Workload, instances: number): Workload {
  const loop = new Int32Array(work.count);
  let next = 0;
  for (let job = 0; job < work.count; job++) {
    const of = itemAt(work.parent, job);
    loop[job] = of === -1 ? next++ % instances : itemAt(loop, of);
  }
  const share = work.background.reduce((sum, background) => sum + background.share, 0) / instances;
  const burstMs = Math.max(0, ...work.background.map((background) => background.burstMs));
  return {
    ...work,
    processes: instances,
    loopProcess: Int32Array.from({ length: instances }, (_, index) => index),
    background: Array.from({ length: instances }, () => ({ share: Math.min(0.98, share), burstMs })),
    loop,
  };
}
