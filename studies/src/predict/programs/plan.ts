import type { LifeCycle } from '../../common/command.js';

/** How much is measured of each program. */
export interface ProgramPlan {
  readonly sizes: readonly number[];
  /** Runs of each size: generations of servers, blocks of commands. */
  readonly runs: number;
  /** Multiplies the time of slices, and how many units commands do. */
  readonly scale: number;
}

/** Where everything is. */
export interface Place {
  /** The programs, beside their packages. */
  readonly directory: string;
  /** Gets the generated inputs. */
  readonly cache: string;
  readonly cycle: LifeCycle;
}

/** The size that others are compared with: libuv's default. */
export const BASELINE = 4;

/** Of a slice of traffic, in milliseconds. */
export const SLICE_MS = 1_200;
/** Slices of each size in one generation of servers. */
export const SLICES = 3;
/** What a server answers before it counts. */
export const WARM_UP_MS = 1_000;
/** Between warming up and the first slice. */
export const SILENCE_MS = 400;
