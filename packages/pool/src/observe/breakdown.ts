import { Histogram } from '../shared/histogram.js';

/**
 * The parts of a task's life, in their order, which together are all of it:
 * - `queue`: it waited for a worker, because all were busy
 * - `startup`: it waited for its worker to start
 * - `encode`: the host wrote its value
 * - `wake`: it lay ready for a worker that was free
 * - `load`: the worker read its value and, at the first task, loaded the function
 * - `run`: the function, promises that it returned included
 * - `reply`: the worker wrote the result
 * - `return`: the result lay ready until the host looked: the host was woken, or its event loop was busy
 * - `decode`: the host read the result
 */
export const PHASES = [
  'queue',
  'startup',
  'encode',
  'wake',
  'load',
  'run',
  'reply',
  'return',
  'decode',
] as const;
export type Phase = (typeof PHASES)[number];

/** Milliseconds of each phase of one task. */
export type Phases = Record<Phase, number>;

/** The sums of all tasks that called one function. */
export class Breakdown {
  failed = 0;
  readonly total = new Histogram();
  readonly phases = Object.fromEntries(PHASES.map((phase) => [phase, new Histogram()])) as Record<
    Phase,
    Histogram
  >;
  /** How much longer than its function a task took that a free worker could take at once. */
  readonly sending = new Histogram();
  /** The totals of tasks that waited for their worker's start most of the time. */
  readonly started = new Histogram();
  /** Of functions that returned a promise: how often, how long they ran, and how long their worker's event loop idled meanwhile. */
  promised = 0;
  promisedRun = 0;
  promisedIdle = 0;

  constructor(
    readonly filename: string,
    readonly name: string,
  ) {}

  /**
   * @param foundFree a worker was free when it was ready to be taken
   * @param idle milliseconds of `run` that the worker's event loop idled; negative: the function returned no promise
   */
  add(phases: Phases, failed: boolean, foundFree: boolean, idle: number): void {
    let total = 0;
    for (const phase of PHASES) {
      total += phases[phase];
      this.phases[phase].record(phases[phase]);
    }
    this.total.record(total);
    if (failed) this.failed++;
    if (foundFree) this.sending.record(total - phases.queue - phases.startup - phases.run);
    if (phases.startup > total / 2) this.started.record(total);
    if (idle < 0) return;
    this.promised++;
    this.promisedRun += phases.run;
    this.promisedIdle += Math.min(idle, phases.run);
  }
}
