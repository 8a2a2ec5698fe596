import type { Machine } from '#plimsoll/model/machine.js';
import type { Workload } from '#plimsoll/model/workload.js';

export interface SimpleJob {
  readonly at?: number;
  readonly cpu?: number;
  readonly blocked?: number;
  readonly slow?: boolean;
  /** Index of the job in whose callback it is submitted; `at` is then a delay after it. */
  readonly parent?: number;
  readonly before?: number;
  readonly after?: number;
  readonly loop?: number;
}

/** A workload from plain jobs. `loops` names the process of each event loop. */
export function workloadOf(
  jobs: readonly SimpleJob[],
  loops: readonly number[] = [0],
  background: Workload['background'] = [],
): Workload {
  const numbers = (pick: (job: SimpleJob) => number): Float64Array => Float64Array.from(jobs, pick);
  return {
    count: jobs.length,
    processes: Math.max(...loops) + 1,
    loopProcess: Int32Array.from(loops),
    background,
    loop: Int32Array.from(jobs, ({ loop = 0 }) => loop),
    slow: Uint8Array.from(jobs, ({ slow = false }) => Number(slow)),
    parent: Int32Array.from(jobs, ({ parent = -1 }) => parent),
    atMs: numbers(({ at = 0 }) => at),
    direct: Uint8Array.from(jobs, ({ parent, at = 0 }) => Number(parent !== undefined && at === 0)),
    cpuMs: numbers(({ cpu = 0 }) => cpu),
    blockedMs: numbers(({ blocked = 0 }) => blocked),
    beforeMs: numbers(({ before = 0 }) => before),
    afterMs: numbers(({ after = 0 }) => after),
  };
}

/** More cores than anything here needs, and no cost of using them. */
export const AMPLE: Machine = {
  cores: 64,
  quota: null,
  otherCores: 0,
  sliceMs: 4,
  protectMs: 1.4,
  wakeMs: 0,
};
