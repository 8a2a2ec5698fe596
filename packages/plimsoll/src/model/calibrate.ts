import type { Demand } from './demand.js';
import type { Machine } from './machine.js';
import { simulate } from './simulate.js';
import type { Background, Passage, Workload } from './workload.js';

/** A demand together with the machine that it met. */
export interface Calibrated {
  readonly workload: Workload;
  readonly machine: Machine;
  /** Cores that somebody outside the recorded processes used: counted, or as far as the jobs felt it. */
  readonly outsideCores: number;
}

const LONGEST_STRETCH_MS = 200;
const HALVINGS = 7;
/** Closer than this the simulation need not come; the recorded run itself had a chance in it. */
const TOLERANCE = 0.1;
/** Of the time that jobs compute or are blocked. */
const LEAST_WAIT = 0.05;
/** Below this a wait is the clock's. */
const LEAST_MS = 0.05;

/**
 * Find what no event tells by simulating the recorded run itself: how long the stretches of an event loop's other work are
 * (from how long results waited for it), and, where the kernel did not count it, what others on the machine had of the cores
 * (from how long jobs waited for one beyond what their own process explains).
 */
export function calibrate(demand: Demand, machine: Machine, size: number): Calibrated {
  const workload = fitStretch(demand, machine, size);
  const outsideCores = Math.min(
    mostOutside(machine),
    demand.outsideCores ?? fitOutside({ ...demand, workload }, machine, size),
  );
  return {
    workload,
    machine: { ...machine, otherCores: machine.otherCores + outsideCores },
    outsideCores,
  };
}

const mostOutside = ({ cores, otherCores }: Machine): number => Math.max(0, cores - otherCores - 0.1);

function fitStretch({ workload, observed, known }: Demand, machine: Machine, size: number): Workload {
  const target = observed.callbackDelayMs;
  if (target === null || workload.background.every(({ share }) => share === 0)) return workload;
  const withStretch = (stretchMs: number): Workload => ({
    ...workload,
    background: workload.background.map(({ share }): Background => ({ share, stretchMs })),
  });
  const delay = (stretchMs: number): number =>
    callbackDelay(simulate(withStretch(stretchMs), { size, machine }), known);
  const least = Math.max(...workload.background.map(({ stretchMs }) => stretchMs));
  return withStretch(
    Math.exp(bisect(Math.log(least), Math.log(LONGEST_STRETCH_MS), target, (x) => delay(Math.exp(x)))),
  );
}

function fitOutside({ workload, observed, known }: Demand, machine: Machine, size: number): number {
  const target = observed.coreWaitMs;
  const serviceMs = workload.cpuMs.reduce(
    (sum, cpu, job) => sum + cpu + (workload.blockedMs[job] as number),
    0,
  );
  // Jobs that hardly wait for a core tell nothing about who else has one.
  if (target === null || target < (LEAST_WAIT * serviceMs) / workload.count) return 0;
  return bisect(0, mostOutside(machine), target, (outside) =>
    coreWait(
      workload,
      simulate(workload, { size, machine: { ...machine, otherCores: machine.otherCores + outside } }),
      known,
    ),
  );
}

/** Where a function that rises reaches a target; the nearer end where it does not. */
function bisect(from: number, to: number, target: number, value: (x: number) => number): number {
  let low = from;
  let high = to;
  if (value(low) >= target * (1 - TOLERANCE) - LEAST_MS) return low;
  for (let step = 0; step < HALVINGS; step++) {
    const middle = (low + high) / 2;
    if (value(middle) < target) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/** Mean time from the end of a job until its callback, over the jobs that count. */
const callbackDelay = ({ endMs, callbackMs }: Passage, counts: Uint8Array): number =>
  meanOf(counts, (job) => (callbackMs[job] as number) - (endMs[job] as number));

/** Mean time that the jobs that count waited for a core. */
const coreWait = ({ cpuMs, blockedMs }: Workload, { startMs, endMs }: Passage, counts: Uint8Array): number =>
  meanOf(counts, (job) =>
    Math.max(
      0,
      (endMs[job] as number) - (startMs[job] as number) - (cpuMs[job] as number) - (blockedMs[job] as number),
    ),
  );

function meanOf(counts: Uint8Array, value: (job: number) => number): number {
  let sum = 0;
  let number = 0;
  for (const [job, counted] of counts.entries()) {
    if (counted !== 1) continue;
    sum += value(job);
    number++;
  }
  return sum / Math.max(1, number);
}
