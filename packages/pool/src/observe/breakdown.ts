import { Histogram } from '../shared/histogram.js';
import { PHASES, type Phase, type Spread, type TaskExplanation } from './types.js';

/** Milliseconds of each phase of one task. */
export type Phases = Record<Phase, number>;

export class Breakdown {
  failed = 0;
  readonly total = new Histogram();
  readonly phases = Object.fromEntries(PHASES.map((phase) => [phase, new Histogram()])) as Record<
    Phase,
    Histogram
  >;
  /** Time outside the function, for tasks that found a worker free. */
  readonly sending = new Histogram();
  /** For functions that returned a promise: calls, run time, and idle time of the worker's event loop meanwhile. */
  promised = 0;
  promisedRun = 0;
  promisedIdle = 0;

  constructor(
    readonly filename: string,
    readonly name: string,
  ) {}

  /**
   * @param foundFree a worker was free when the task could be claimed
   * @param idle milliseconds of `run` in which the worker's event loop was idle; negative: the function returned no promise
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
    if (idle < 0) return;
    this.promised++;
    this.promisedRun += phases.run;
    this.promisedIdle += Math.min(idle, phases.run);
  }

  explain(): TaskExplanation {
    const { filename, name, failed, total, phases, sending } = this;
    return {
      ...{ filename, name, count: total.count, failed, total: spreadOf(total) },
      phases: Object.fromEntries(
        PHASES.map((phase) => [phase, { ...spreadOf(phases[phase]), share: phases[phase].sum / total.sum }]),
      ) as TaskExplanation['phases'],
      foundFree: sending.count,
      sending: spreadOf(sending),
      promises: { count: this.promised, busy: 1 - this.promisedIdle / this.promisedRun },
    };
  }
}

function spreadOf(histogram: Histogram): Spread {
  if (histogram.count === 0) return { mean: Number.NaN, p50: Number.NaN, p99: Number.NaN };
  return { mean: histogram.mean, p50: histogram.percentile(50), p99: histogram.percentile(99) };
}
