/** A request as far as it is known: written when it is first seen, and again when it has ended. Times in microseconds. */
export type RequestRow = readonly [
  /** From 1 on, in its thread. */
  number: number,
  kind: number,
  /** 0 for none. */
  connection: number,
  sampled: 0 | 1,
  start: number,
  /** Place in `ENDS`; the last, `unfinished`, has no time of end. */
  end: number,
  ended: number,
  /** 0 while it is not known. */
  route: number,
];

/** Requests of a thread. */
export interface RequestsLine {
  readonly type: 'requests';
  readonly thread: number;
  readonly rows: readonly RequestRow[];
  /** How many came, so far, after as many as are recorded. */
  readonly dropped: number;
}

/** The name of a route of a thread, before the first row with it; routes count from 1. */
export interface RouteLine {
  readonly type: 'route';
  readonly thread: number;
  readonly route: number;
  readonly name: string;
}
