/** What came of a number of requests. */
export interface TrafficOutcome {
  readonly sent: number;
  /** Of answered requests, in milliseconds; from the intended time where there is one. */
  readonly latenciesMs: readonly number[];
  readonly failures: number;
  readonly firstFailure: string | null;
  /** Requests of a schedule that left more than `LATE_MS` after their time. */
  readonly sentLate: number;
  /** Requests of a schedule that were not sent, because too many were under way. */
  readonly dropped: number;
  /** Requests that had no answer when nobody waited any longer; their age is among the latencies. */
  readonly unfinished: number;
  /** How long after its time each request of a schedule left, in milliseconds. */
  readonly lagsMs: readonly number[];
}

/** Timers of Node fire up to a millisecond late by themselves. */
export const LATE_MS = 2;
