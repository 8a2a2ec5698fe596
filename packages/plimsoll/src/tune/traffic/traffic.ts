import type { PlimsollError } from '../../errors.js';
import type { Supervision } from '../../lab/guardian.js';

export interface Traffic {
  /** Resolves when no more requests will come, with the reason. Never rejects. */
  readonly failed: Promise<PlimsollError>;
  /** What goes wrong with the requests, a clause for a message; `isAll`: not one got a good answer. Null where nothing is known to. */
  trouble(): { readonly text: string; readonly isAll: boolean } | null;
  close(): Promise<void>;
}

export interface TrafficContext extends Supervision {
  readonly onPause: () => void;
}

export interface SendOrder {
  readonly urls: readonly string[];
  readonly connections: number;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  readonly rate: number | null;
}

export interface Sent {
  readonly requests: number;
  /** Those without an answer, or with a status of 400 or more. */
  readonly refused: number;
  /** What was wrong with the last of these: `HTTP 404`, `ECONNREFUSED`. */
  readonly reason: string;
}
