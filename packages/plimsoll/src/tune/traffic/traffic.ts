import type { PlimsollError } from '../../errors.js';
import type { Supervision } from '../../lab/guardian.js';

/** Requests on their way to an app, until they are closed. */
export interface Traffic {
  /** Resolves when no more requests will come, with the reason. Never rejects. */
  readonly failed: Promise<PlimsollError>;
  /** What goes wrong with the requests; null as long as nothing is known to. */
  trouble(): TrafficTrouble | null;
  /** No more requests are sent, and no process of it is left. */
  close(): Promise<void>;
}

export interface TrafficTrouble {
  /** A clause for a message. */
  readonly text: string;
  /** Not one request got a good answer. */
  readonly isAll: boolean;
}

export interface TrafficContext extends Supervision {
  /** Called when the traffic stops for a moment, because its command is started anew. */
  readonly onPause: () => void;
}
