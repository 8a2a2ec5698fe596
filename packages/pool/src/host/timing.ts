import { now } from '../shared/clock.js';
import { Histogram } from '../shared/histogram.js';
import { Times } from '../shared/times.js';
import { type Flow, Pressure } from './pressure.js';

type Kind = 'run' | 'wait';

/** What a pool with `recordTiming` knows of the times of its tasks. Milliseconds, by the clock that all threads share. */
export class Timing {
  /** Of workers whose threads run. */
  readonly #living = new Set<Times>();
  /** Of all the others. */
  readonly #gone = new Times();
  /** What there was at the last reset. */
  readonly #before: { [Name in Kind]?: Histogram } = {};
  readonly #pressures: Pressure;

  constructor(flow: Flow) {
    this.#pressures = new Pressure(flow, now());
  }

  /** To be called before tasks are counted as come or gone. */
  atTime(time: number): void {
    this.#pressures.before(time);
  }

  /** A worker has been started. */
  born(times: Times): void {
    this.#living.add(times);
  }

  /** A worker's thread has exited. */
  died(times: Times): void {
    this.#living.delete(times);
    this.#gone.run.add(times.run);
    this.#gone.wait.add(times.wait);
  }

  /** All times since the last reset. */
  since(kind: Kind): Histogram {
    const all = this.#ever(kind);
    const before = this.#before[kind];
    if (before !== undefined) all.subtract(before);
    return all;
  }

  reset(kind: Kind): void {
    this.#before[kind] = this.#ever(kind);
  }

  #ever(kind: Kind): Histogram {
    const all = new Histogram();
    all.add(this.#gone[kind]);
    for (const times of this.#living) all.add(times[kind]);
    return all;
  }

  /** That workers have spent in tasks; no reset touches it. */
  get totalRunTime(): number {
    let total = this.#gone.run.sum;
    for (const times of this.#living) total += times.run.sum;
    return total;
  }

  /** Tasks in ÷ tasks out over the last seconds. */
  get pressure(): number {
    return this.#pressures.at(now());
  }
}
