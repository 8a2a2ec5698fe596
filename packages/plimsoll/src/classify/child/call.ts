import { AsyncResource, createHook, executionAsyncId } from 'node:async_hooks';
import type { Observation, OperationError } from '../messages.js';

/** Resources that only continue a chain; nothing waits behind them. */
const CARRIERS = new Set(['PROMISE', 'TickObject', 'Microtask', 'Immediate']);

/** The calls that asynchronous resources belong to, by the ids of these resources. */
const owners = new Map<number, Call>();
const types = new Map<number, string>();
const timers = new Map<number, NodeJS.Timeout>();

/**
 * One call of an operation, and what is seen of it. Everything asynchronous that descends from it belongs to it. async_hooks
 * cost much: a process makes one experiment. Times are those of `performance.now()`.
 */
export class Call {
  readonly ended: Promise<void>;
  /** Types of the resources that called back from outside JavaScript. */
  readonly callbacks: string[] = [];
  /** When the event-loop thread worked for this operation. */
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
    hook.enable();
    const root = new AsyncResource('Operation');
    owners.set(root.asyncId(), this);
    try {
      const returned = root.runInAsyncScope(start);
      if (!isThenable(returned)) this.#end('completed');
      else Promise.resolve(returned).then(() => this.#end('completed'), this.fail);
    } catch (error) {
      this.fail(error);
    }
  }

  readonly fail = (error: unknown): void => this.#end('failed', describe(error));

  calledBack(type: string): void {
    if (this.outcome !== 'pending') return;
    this.callbacks.push(type);
    this.onCallback(type);
  }

  #end(outcome: 'completed' | 'failed', error: OperationError | null = null): void {
    if (this.outcome !== 'pending') return;
    this.endedMs = performance.now();
    // A timer that is due at once runs in the same turn, so look at the callbacks too.
    this.synchronous = loopCount() === this.#turn && this.callbacks.length === 0;
    this.outcome = outcome;
    this.error = error;
    this.#settle();
  }
}

/** Callbacks that are running, the outermost first: callbacks of a stream or a promise may run within one. */
const running: { readonly id: number; readonly since: number }[] = [];

const hook = createHook({
  init(id, type, trigger, resource) {
    const call = owners.get(executionAsyncId()) ?? owners.get(trigger);
    if (call === undefined) return;
    owners.set(id, call);
    types.set(id, type);
    if (type === 'Timeout') timers.set(id, resource as NodeJS.Timeout);
  },
  before(id) {
    const call = owners.get(id);
    if (call === undefined) return;
    running.push({ id, since: performance.now() });
    const type = types.get(id);
    // A timer that keeps no event loop alive is housekeeping (a timeout, a cache); the operation does not wait for it.
    const isWaitedFor = timers.get(id)?.hasRef() ?? true;
    if (type !== undefined && !CARRIERS.has(type) && isWaitedFor) call.calledBack(type);
  },
  after(id) {
    if (running.at(-1)?.id !== id) return;
    const { since } = running.pop() as { since: number };
    const call = owners.get(id);
    if (running.length > 0 || call === undefined) return;
    if (call.endedMs === null || since <= call.endedMs) call.ran.push([since, performance.now()]);
  },
});

const calls: Call[] = [];

/** An exception that nothing catches may come from any pending call. */
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
