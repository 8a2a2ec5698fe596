import { AbortError, PoolError } from '../errors.js';
import { type HostRequest, type TaskFunction, withEnd } from '../shared/calls.js';
import { type CurrentTask, provideContext } from '../shared/context.js';
import { restore } from '../shared/error-record.js';
import { SmallMap } from '../shared/small-map.js';
import { isAsked } from '../shared/table.js';
import type { Channel } from './channel.js';
import { type Caller, type HostCalls, hostCallsOf } from './host-calls.js';

export type ObservedCalls = ReturnType<typeof observedCalls>;

/** Calls that can be asked to end (the other end of the host's `cancel`), or that call functions of the host. */
export function observedCalls(channel: Channel) {
  const running = new SmallMap<Observed>();
  let hostCalls: HostCalls | undefined;
  const callingHost = (): HostCalls => {
    hostCalls ??= hostCallsOf(channel);
    return hostCalls;
  };
  // Not imported above: to load it and to follow promises costs workers that need it alone.
  const storage = new (process.getBuiltinModule('node:async_hooks').AsyncLocalStorage)<CurrentTask>();
  provideContext(
    () => storage.getStore(),
    () => storage.disable(),
  );
  channel.onAbort = (slot, sequence, thrown) => {
    const observed = running.get(slot);
    // It has ended meanwhile, or not begun: then it will see that it was asked.
    if (observed === undefined || channel.sequenceOf(slot) !== sequence) return;
    storage.run(observed, () => observed.abort(restore(thrown)));
  };

  /** The slot belongs to others from now on. */
  function end(slot: number, observed: Observed): void {
    observed.slots.delete(slot);
    running.take(slot);
    if (observed.slots.size === 0 && !observed.isKept) for (const endCall of observed.calls) endCall();
  }

  /** Calls something for the task in one slot. @throws AbortError when that was asked to end before it began */
  function during(slot: number, observed: Observed, call: () => unknown): unknown {
    if (isAsked(channel.table, slot)) throw new AbortError();
    observed.slots.add(slot);
    running.set(slot, observed);
    return withEnd(
      () => storage.run(observed, call),
      () => end(slot, observed),
    );
  }

  const observe = (): Observed => new Observed(channel, callingHost);
  /** The function for the task in one slot. */
  const bind = (fn: TaskFunction, slot: number): TaskFunction => {
    return (value) => during(slot, observe(), () => fn(value));
  };
  return { bind, during, observe };
}

/** What the function of a task sees of it; or the code of a stream, of all the tasks that it works for. */
export class Observed implements CurrentTask, Caller {
  /** Where these tasks are. */
  readonly slots = new Set<number>();
  readonly calls = new Set<(reason?: unknown) => void>();
  /** It is a stream that goes on. */
  isKept = false;
  #isAborted = false;
  #controller: AbortController | undefined;
  #reason: unknown;
  readonly #channel: Channel;
  readonly #host: () => HostCalls;

  constructor(channel: Channel, host: () => HostCalls) {
    this.#channel = channel;
    this.#host = host;
  }

  call(request: HostRequest): Promise<unknown> {
    return this.#host().call(this, request);
  }

  callSync(request: HostRequest): unknown {
    return this.#host().callSync(this, request);
  }

  get aborted(): boolean {
    if (this.#isAborted || !this.#isAnyAsked()) return this.#isAborted;
    // The reason was posted before the slot was marked. It aborts the signal as well.
    this.#channel.readAll();
    return true;
  }

  #isAnyAsked(): boolean {
    for (const slot of this.slots) if (isAsked(this.#channel.table, slot)) return true;
    return false;
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.aborted) this.#controller.abort(this.#reason);
    }
    return this.#controller.signal;
  }

  abort(reason: unknown): void {
    this.#isAborted = true;
    this.#reason = reason;
    this.#controller?.abort(reason);
    const why = reason instanceof PoolError ? reason : new AbortError(reason);
    for (const endCall of this.calls) endCall(why);
  }
}
