import { type Follower, follow } from '../../lab/child/follow.js';
import type { Observation, OperationError } from '../messages.js';

/** One call of what is being classified, and what is seen of it. */
export class Operation {
  /** Settles when the operation has completed or failed; never rejects. */
  readonly ended: Promise<void>;
  readonly callbacks: string[] = [];
  outcome: Observation['outcome'] = 'pending';
  error: OperationError | null = null;
  ms: number | null = null;
  /** How long the thread of the event loop was this operation's. */
  busyMs = 0;
  synchronous = false;
  /** Called at every callback that the operation gets, with the type of the resource. */
  onCallback: (type: string) => void = () => {};

  /** Must be called right after the event loop turned (setImmediate), or `synchronous` says nothing. */
  constructor(start: () => unknown) {
    const turn = loopCount();
    const started = performance.now();
    const end = (outcome: 'completed' | 'failed', error: OperationError | null): void => {
      if (this.outcome !== 'pending') return;
      this.ms = performance.now() - started;
      // A timer that is due at once runs in the same turn, so look at the callbacks, too.
      this.synchronous = loopCount() === turn && this.callbacks.length === 0;
      this.outcome = outcome;
      this.error = error;
    };
    const fail = (error: unknown): void => end('failed', describe(error));
    const follower: Follower = {
      calledBack: (type) => {
        if (this.outcome !== 'pending') return;
        this.callbacks.push(type);
        this.onCallback(type);
      },
      ran: (since, until) => {
        if (this.outcome === 'pending') this.busyMs += until - since;
      },
    };
    this.ended = new Promise<void>((resolve) => {
      process.once('uncaughtException', (error) => {
        fail(error);
        resolve();
      });
      Promise.resolve(follow(follower, async () => start()))
        .then(() => end('completed', null), fail)
        .finally(resolve);
    });
  }
}

const loopCount = (): number => performance.nodeTiming.uvMetricsInfo.loopCount;

function describe(error: unknown): OperationError {
  if (!(error instanceof Error)) return { name: 'Error', message: String(error) };
  return { name: error.name, message: error.message };
}
