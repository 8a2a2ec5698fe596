/** What the sending process is told. */
export interface SendOrder {
  readonly urls: readonly string[];
  readonly connections: number;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  /** Requests a second, not waiting for answers; null: one after another on each connection. */
  readonly rate: number | null;
}

/** What it says twice a second, once something went wrong. */
export interface Sent {
  /** Requests that have ended so far. */
  readonly requests: number;
  /** Those without an answer, or with a status of 400 or more. */
  readonly refused: number;
  /** What was wrong with the last of these: `HTTP 404`, `ECONNREFUSED`. */
  readonly reason: string;
}
