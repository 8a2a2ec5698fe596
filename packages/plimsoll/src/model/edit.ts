import { itemAt } from '../collections/item-at.js';
import type { Requests, Workload } from './workload.js';

/** The per-job arrays of a workload; a selection of jobs is a selection from each. */
type Arrays = Pick<
  Workload,
  'loop' | 'slow' | 'parent' | 'atMs' | 'direct' | 'cpuMs' | 'blockedMs' | 'beforeMs' | 'afterMs' | 'point'
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
    if (work.point?.[job] === 1 || keep(job)) place[job] = kept.push(job) - 1;
  }
  if (!kept.some((job) => work.point?.[job] !== 1)) return null;
  const edited = { ...selectJobs({ ...work, parent, atMs }, kept), ...relations(work, kept, place, parent) };
  for (const [index, job] of kept.entries()) {
    const of = itemAt(parent, job);
    edited.parent[index] = of === -1 ? -1 : itemAt(place, of);
    if (of === -1 || of !== work.parent[job]) edited.direct[index] = 0;
  }
  return edited;
}

/** Joins, operations and requests of the steps that are left; who waited for one that is gone waits for what that one followed from. */
function relations(
  { joins, operations, requests }: Workload,
  kept: readonly number[],
  place: Int32Array,
  parent: Int32Array,
): Pick<Workload, 'joins' | 'operations' | 'requests'> {
  const pairs = new Map<string, readonly [number, number]>();
  for (const [join, step] of (joins?.step ?? []).entries()) {
    let after = itemAt((joins as { after: Int32Array }).after, join);
    while (after !== -1 && place[after] === -1) after = itemAt(parent, after);
    if (place[step] === -1 || after === -1 || after === parent[step]) continue;
    pairs.set(`${step} ${after}`, [itemAt(place, step), itemAt(place, after)]);
  }
  return {
    ...(joins === undefined
      ? {}
      : {
          joins: {
            step: Int32Array.from(pairs.values(), ([step]) => step),
            after: Int32Array.from(pairs.values(), ([, after]) => after),
          },
        }),
    ...(operations === undefined
      ? {}
      : { operations: { ...operations, of: Int32Array.from(kept, (job) => itemAt(operations.of, job)) } }),
    ...(requests === undefined ? {} : { requests: placed(requests, place) }),
  };
}

/** Requests whose steps are elsewhere now. */
const placed = (requests: Requests, place: Int32Array): Requests => ({
  ...requests,
  arrival: requests.arrival.map((step) => itemAt(place, step)),
  end: requests.end.map((step) => itemAt(place, step)),
});

/** These steps in this order; parents, joins, operations and requests still have the old indices. */
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
    ...(work.point === undefined ? {} : { point: pick(work.point) }),
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
