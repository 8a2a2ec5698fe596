import { itemAt } from '../collections/item-at.js';
import type { Machine } from '../model/machine.js';
import type { Measures } from '../model/measures.js';
import { simulate } from '../model/simulate.js';
import type { Background, Devices, Passage, Workload } from '../model/workload.js';
import type { Demand } from './estimate.js';
import { combine, outcome } from './outcome.js';

/** A demand together with the machine that it met. */
export interface Calibrated {
  readonly workload: Workload;
  readonly machine: Machine;
  /** Cores that somebody outside the recorded processes used: counted, or as far as the jobs felt it. */
  readonly outsideCores: number;
  /** How many blocked jobs at a time something outside was seen to serve. */
  readonly devices: Devices;
  /** Measured ÷ simulated at the size of the recording; 1 where nothing can be compared. */
  readonly discrepancy: Measures;
}

const LONGEST_BURST_MS = 200;
const HALVINGS = 7;
/** Closer than this the simulation need not come; the recorded run itself had a chance in it. */
const TOLERANCE = 0.1;
/** Of the time that jobs compute or are blocked. */
const LEAST_WAIT = 0.05;
/** Below this a time is the clock's. */
const LEAST_MS = 0.05;

/**
 * Find what no event tells by simulating the recorded run itself: how long the bursts of an event loop's other work are (from
 * how long results waited for it), and, where the kernel did not count it, what others on the machine had of the cores (from
 * how long jobs waited for one beyond what their own process explains).
 *
 * @param host the machine without what others had of its cores
 * @param seed of the run that the recorded one is held against
 */
export function calibrate(demand: Demand, host: Machine, seed: number): Calibrated {
  const workload = fitBurst(demand, host);
  const outsideCores = Math.min(
    mostOutside(host),
    demand.outsideCores ?? fitOutside({ ...demand, workload }, host),
  );
  const machine = { ...host, otherCores: host.otherCores + outsideCores };
  const asked = withoutLoopDelay(workload, demand.size, machine);
  return {
    workload: asked,
    machine,
    outsideCores,
    devices: demand.mostBlocked,
    discrepancy: discrepancyOf(demand, asked, machine, seed),
  };
}

/**
 * How long a client thought was seen where the event loop took up its next request, so it holds the wait for the loop, which a
 * simulation adds by itself.
 */
function withoutLoopDelay(work: Workload, size: number, machine: Machine): Workload {
  const { requests } = work;
  if (requests === undefined || !requests.follows.includes(1)) return work;
  const { submitMs, startMs } = simulate(work, { size, machine });
  let delayMs = 0;
  let count = 0;
  for (const [request, arrival] of requests.arrival.entries()) {
    if (requests.follows[request] !== 1) continue;
    delayMs += itemAt(startMs, arrival) - itemAt(submitMs, arrival);
    count++;
  }
  const thinkMs = requests.thinkMs.map((think) => Math.max(0, think - delayMs / count));
  return { ...work, requests: { ...requests, thinkMs } };
}

const mostOutside = ({ cores, otherCores }: Machine): number => Math.max(0, cores - otherCores - 0.1);

function fitBurst({ workload, waits, known, size }: Demand, machine: Machine): Workload {
  const target = waits.callbackDelayMs;
  if (target === null || workload.background.every(({ share }) => share === 0)) return workload;
  const withBurst = (burstMs: number): Workload => ({
    ...workload,
    background: workload.background.map(({ share }): Background => ({ share, burstMs })),
  });
  const delay = (burstMs: number): number =>
    callbackDelay(simulate(withBurst(burstMs), { size, machine }), known);
  const least = Math.max(...workload.background.map(({ burstMs }) => burstMs));
  return withBurst(
    Math.exp(bisect(Math.log(least), Math.log(LONGEST_BURST_MS), target, (x) => delay(Math.exp(x)))),
  );
}

function fitOutside({ workload, waits, known, size }: Demand, machine: Machine): number {
  const target = waits.coreWaitMs;
  const serviceMs = workload.cpuMs.reduce((sum, cpu, job) => sum + cpu + itemAt(workload.blockedMs, job), 0);
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

/**
 * How far the simulation of the recorded run is from that run: measured ÷ simulated, figure by figure. Beyond a factor of 2,
 * and where a figure is close to nothing, the ratio says no more than that.
 */
function discrepancyOf(
  { measured, size }: Demand,
  workload: Workload,
  machine: Machine,
  seed: number,
): Measures {
  const { memoryBytes: _, ...simulated } = outcome(workload, machine, size, seed);
  // Figures of what is not in both say nothing.
  const pair = [simulated, measured].map((measures) => ({ ...measures, memoryBytes: 1 }));
  const ratio = combine(pair, ([expected = 0, seen = expected]) =>
    Math.min(2, Math.max(0.5, (seen + LEAST_MS) / (expected + LEAST_MS))),
  );
  // Jobs do not tell the delay of an event loop.
  return { ...ratio, eventLoopDelayMs: { p99: 1 } };
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
  meanOf(counts, (job) => itemAt(callbackMs, job) - itemAt(endMs, job));

/** Mean time that the jobs that count waited for a core. */
const coreWait = ({ cpuMs, blockedMs }: Workload, { startMs, endMs }: Passage, counts: Uint8Array): number =>
  meanOf(counts, (job) =>
    Math.max(0, itemAt(endMs, job) - itemAt(startMs, job) - itemAt(cpuMs, job) - itemAt(blockedMs, job)),
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
