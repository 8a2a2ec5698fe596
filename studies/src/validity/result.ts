import type { Environment } from '@plimsoll/lab';

export type Verdict = 'better' | 'worse' | 'same' | 'unclear';

/** Suites of numbers with a known truth. */
export interface Simulated {
  readonly world: string;
  /** Time at the last size ÷ time at the baseline, in truth. */
  readonly planted: number;
  readonly suites: number;
  /** Suites in which a verdict or an interval of any size was false. */
  readonly wrong: number;
  /** Suites that were called noisy. */
  readonly noisy: number;
  /** Suites in which the planted difference got its verdict. */
  readonly found: number;
  /** Suites whose recommended size is more than 5 % slower than the best, in truth. */
  readonly wronglyRecommended: number;
  readonly settled: number;
  readonly meanGenerations: number;
  readonly medianHalfWidth: number;
}

/** One suite of real processes. */
export interface RealSuite {
  readonly planted: number;
  readonly isDisturbed: boolean;
  readonly verdict: Verdict;
  /** A verdict of a size at which nothing was planted. */
  readonly otherVerdict: Verdict;
  readonly ratio: number;
  readonly interval: readonly [number, number] | null;
  readonly noisy: boolean;
  readonly recommended: number | null;
  readonly generations: number;
  readonly seconds: number;
  readonly stop: string;
}

/** The same workload and size by both modes, for the same time. */
export interface ModePair {
  readonly workload: string;
  readonly size: number;
  readonly isDisturbed: boolean;
  readonly resized: { readonly ratio: number; readonly interval: readonly [number, number] | null };
  readonly isolated: { readonly ratio: number; readonly interval: readonly [number, number] | null };
}

export interface ValidityResult {
  readonly schema: 'plimsoll/1';
  readonly kind: 'validity';
  readonly startedAt: string;
  readonly seconds: number;
  readonly seed: number;
  readonly environment: Environment;
  readonly simulated: readonly Simulated[];
  readonly real: readonly RealSuite[];
  readonly modes: readonly ModePair[];
}
