import type { Environment, TunedSize, TuneResult } from '@plimsoll/lab';

/** One turn of one size: a slice of traffic of a server that lives, or a fresh run of a command. */
export interface Slice {
  readonly block: number;
  readonly arm: number | 'twin';
  /** Mean latency on the server's side, or wall time of the command. */
  readonly meanMs: number;
  readonly perSecond: number;
  /** The server did not keep up with the requests that came. */
  readonly overloaded: boolean;
}

/** What `plimsoll tune` said of the same program in the same hour. */
export interface Answer {
  readonly recommended: number | null;
  readonly confidence: TuneResult['confidence'];
  readonly headline: string;
  readonly seconds: number;
  readonly stop: TuneResult['method']['stop'];
  readonly sizes: readonly (Pick<TunedSize, 'size' | 'verdict' | 'leftEarly'> & {
    readonly ratio: number | null;
  })[];
}

export interface ProgramResult {
  readonly name: string;
  readonly slices: readonly Slice[];
  readonly answer: Answer | null;
  /** Why it has no answer, or no truth. */
  readonly failure: string | null;
}

/** Throughput of one server with an idle controller in it, and without. */
export interface CostPair {
  readonly server: string;
  readonly without: readonly number[];
  readonly withController: readonly number[];
}

/** How often contests of sizes that do not differ, and of one that is 5 % slower, were judged so. */
export interface ErrorRates {
  readonly simulated: readonly ErrorRate[];
  /** The same process with sizes that its work does not depend on. */
  readonly real: ErrorRate;
}

export interface ErrorRate {
  readonly what: string;
  readonly contests: number;
  /** A size was called better or worse, although none differs. */
  readonly falseVerdicts: number;
  /** A size was recommended that is more than 5 % slower than the best; `null` where none is. */
  readonly wrongAnswers: number | null;
  /** The planted difference had its verdict; `null` where none is planted. */
  readonly detected: number | null;
}

export interface TuneStudyResult {
  readonly schema: 'plimsoll/1';
  readonly kind: 'tune-study';
  readonly effort: 'full' | 'quick';
  readonly startedAt: string;
  readonly seconds: number;
  readonly environment: Environment;
  readonly versions: Readonly<Record<string, string>>;
  readonly programs: readonly ProgramResult[];
  readonly cost: readonly CostPair[] | null;
  readonly errors: ErrorRates | null;
}
