import type { TuneResult } from '../results/tune.js';

/** A pool size, or the baseline a second time (the A/A twin). */
export type Arm = number | 'twin';

interface Place {
  /** In each block every living arm has one turn, in random order. */
  readonly block: number;
  readonly order: number;
  readonly arm: Arm;
  /** Pool threads; of a window those that served the queue, proved. */
  readonly size: number;
  /** A process came, went or did not answer, or the traffic paused: it is shown, and not compared. */
  readonly disturbed: boolean;
}

/** What the app did while the pool had one size. Milliseconds, unless said otherwise. */
export interface Window extends Place {
  readonly seconds: number;
  readonly completed: number;
  /** Latencies by route, of the good requests that began within the span, whenever they ended: else long ones would be missing. */
  readonly routes: ReadonlyMap<string, readonly number[]>;
  /** Requests of the span that were answered with a status of 500 or more, or whose connection the server lost. */
  readonly failed: number;
  /** Requests that began within the span and had not ended when the drain gave up. */
  readonly unfinished: number;
  readonly inFlightGrowth: number;
  /** What a request waits for, at a random moment, until the event loop takes it: only then does its latency begin. */
  readonly loopDelayMs: { readonly mean: number; readonly p99: number };
  readonly cpuCores: number;
  /** Busy cores of the whole machine, or of the CPUs that this process may use. `null` where it cannot be read. */
  readonly machineBusyCores: number | null;
  readonly queueWaitMs: { readonly fast: number | null; readonly slow: number | null };
  /** Mean number of pool threads with a job, without parked ones. `null` where it cannot be told. */
  readonly busyThreads: number | null;
}

export interface CommandRun extends Place {
  readonly wallMs: number;
  readonly cpuSeconds: number | null;
}

export type Sample = Window | CommandRun;

export type Objective = TuneResult['objective'];

export interface JudgePlan {
  readonly sizes: readonly number[];
  readonly baseline: number;
  readonly objective: Objective;
  /** About how many blocks the time allows: intervals hold at every look until then, and more looks widen them. */
  readonly mostBlocks: number;
  readonly seed: number;
  /** Sizes that an earlier judgement left out of `living`: they stay out. */
  readonly left?: readonly number[];
}

export const isWindow = (sample: Sample): sample is Window => 'routes' in sample;

/** Undisturbed windows. */
export const comparedWindows = (samples: readonly Sample[]): Window[] =>
  samples.filter(isWindow).filter(({ disturbed }) => !disturbed);

export const secondsOf = (sample: Sample): number =>
  isWindow(sample) ? sample.seconds : sample.wallMs / 1000;

/** Good requests, or one run. */
export const answeredIn = (sample: Sample): number =>
  isWindow(sample) ? Math.max(0, sample.completed - sample.failed) : 1;
