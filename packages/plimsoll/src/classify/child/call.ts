import type { Observation, OperationError } from '../messages.js';
import { type Follower, follow } from './follow.js';

/** One call of an operation, and what is seen of it. Times are those of `performance.now()`. */
export class Call {
  readonly ended: Promise<void>;
  readonly callbacks: string[] = [];
  readonly ran: [since: number, until: number][] = [];
  readonly startedMs = performance.now();
  endedMs: number | null = null;
  outcome: Observation['outcome'] = 'pending';
  error: OperationError | null = null;
  synchronous = false;
  onCallback: (type: string) => void = () => {};

  readonly #turn = loopCount();
  #settle: () => void = () => {};

  /** Must be called right after the event loop turned (setImmediate), or `synchronous` says nothing. */
  constructor(start: () => unknown) {
    this.ended = new Promise((resolve) => {
      this.#settle = resolve;
    });
    failWithUncaught(this);
    const follower: Follower = {
      calledBack: (type) => {
        if (this.outcome !== 'pending') return;
        this.callbacks.push(type);
        this.onCallback(type);
      },
      ran: (since, until) => {
        if (this.endedMs === null || since <= this.endedMs) this.ran.push([since, until]);
      },
    };
    try {
      const returned = follow(follower, start);
      // What returned no promise has completed; of many calls the others may still be to be started.
      if (!isThenable(returned)) this.#end('completed');
      else Promise.resolve(returned).then(() => this.#end('completed'), this.fail);
    } catch (error) {
      this.fail(error);
    }
  }

  readonly fail = (error: unknown): void => this.#end('failed', describe(error));

  #end(outcome: 'completed' | 'failed', error: OperationError | null = null): void {
    if (this.outcome !== 'pending') return;
    this.endedMs = performance.now();
    // A timer that is due at once runs in the same turn, so look at the callbacks, too.
    this.synchronous = loopCount() === this.#turn && this.callbacks.length === 0;
    this.outcome = outcome;
    this.error = error;
    this.#settle();
  }
}

const calls: Call[] = [];

/** An exception that nothing catches may be of any call that is under way. */
function failWithUncaught(call: Call): void {
  if (calls.push(call) > 1) return;
  process.on('uncaughtException', (error) => {
    for (const pending of calls) pending.fail(error);
  });
}

const isThenable = (value: unknown): boolean =>
  typeof (value as { then?: unknown } | null | undefined)?.then === 'function';

const loopCount = (): number => performance.nodeTiming.uvMetricsInfo.loopCount;

function describe(error: unknown): OperationError {
  if (!(error instanceof Error)) return { name: 'Error', message: String(error) };
  return { name: error.name, message: error.message };
}
