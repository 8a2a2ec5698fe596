import { AbortError, PoolError } from '../errors.js';
import { type HostRequest, type TaskFunction, withEnd } from '../shared/calls.js';
import { type CurrentTask, provideContext } from '../shared/context.js';
import { restore } from '../shared/error-record.js';
import { SmallMap } from '../shared/small-map.js';
import { isAsked } from '../shared/table.js';
import type { Channel } from './channel.js';
import { type Caller, type HostCalls, hostCallsOf } from './host-calls.js';

export type ObservedCalls = ReturnType<typeof observedCalls>;

/** Calls with a context: the host can ask them to end, and they can call host functions. */
export function observedCalls(channel: Channel) {
  const running = new SmallMap<Observed>();
  let hostCalls: HostCalls | undefined;
  const callingHost = (): HostCalls => {
    hostCalls ??= hostCallsOf(channel);
    return hostCalls;
  };
  // Loaded on demand: the import takes time, and an AsyncLocalStorage slows down promises.
  const storage = new (process.getBuiltinModule('node:async_hooks').AsyncLocalStorage)<CurrentTask>();
  provideContext(
    () => storage.getStore(),
    () => storage.disable(),
  );
  channel.onAbort = (slot, sequence, thrown) => {
    const observed = running.get(slot);
    // The task has ended, or has not begun: `during` checks `isAsked`.
    if (observed === undefined || channel.sequenceOf(slot) !== sequence) return;
    storage.run(observed, () => observed.abort(restore(thrown)));
  };

  function end(slot: number, observed: Observed): void {
    observed.slots.delete(slot);
    running.take(slot);
    if (observed.slots.size === 0 && !observed.isKept) for (const endCall of observed.calls) endCall();
  }

  /** @throws AbortError if the host has asked the task to end before it began */
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
  const bind = (fn: TaskFunction, slot: number): TaskFunction => {
    return (value) => during(slot, observe(), () => fn(value));
  };
  return { bind, during, observe };
}

/** The context of one call, or of all tasks of one stream; see `task` of `@plimsoll/pool/worker`. */
export class Observed implements CurrentTask, Caller {
  readonly slots = new Set<number>();
  readonly calls = new Set<(reason?: unknown) => void>();
  /** True for an open stream. */
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
    // The host posts the reason before it marks the slot. Reading it aborts the signal, too.
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
