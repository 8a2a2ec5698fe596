import { AsyncResource, createHook, executionAsyncId } from 'node:async_hooks';

/** Resources that only carry a chain on; nothing waits behind them. */
const CARRIERS = new Set(['PROMISE', 'TickObject', 'Microtask', 'Immediate']);

export interface Follower {
  /** A callback came from outside JavaScript. */
  calledBack(type: string): void;
  /** The thread of the event loop was the operation's between these times of `performance.now()`. */
  ran(since: number, until: number): void;
}

const followers = new Map<number, Follower>();
const types = new Map<number, string>();
const timers = new Map<number, NodeJS.Timeout>();

/** A timer that keeps no event loop alive is housekeeping (a timeout, a cache), and not what an operation waits for. */
const isWaitedFor = (id: number): boolean => timers.get(id)?.hasRef() ?? true;

/** Everything asynchronous that descends from `start` is known to belong to it. async_hooks cost much: use it for one experiment. */
export function follow(follower: Follower, start: () => unknown): unknown {
  hook.enable();
  const root = new AsyncResource('Operation');
  followers.set(root.asyncId(), follower);
  return root.runInAsyncScope(start);
}

/** Callbacks that are running, the outermost first: within one, others may run (a stream's, a promise's). */
const running: { readonly id: number; readonly since: number }[] = [];

const hook = createHook({
  init(id, type, trigger, resource) {
    const follower = followers.get(executionAsyncId()) ?? followers.get(trigger);
    if (follower === undefined) return;
    followers.set(id, follower);
    types.set(id, type);
    if (type === 'Timeout') timers.set(id, resource as NodeJS.Timeout);
  },
  before(id) {
    const follower = followers.get(id);
    if (follower === undefined) return;
    running.push({ id, since: performance.now() });
    const type = types.get(id);
    if (type !== undefined && !CARRIERS.has(type) && isWaitedFor(id)) follower.calledBack(type);
  },
  after(id) {
    if (running.at(-1)?.id !== id) return;
    const { since } = running.pop() as { since: number };
    if (running.length === 0) followers.get(id)?.ran(since, performance.now());
  },
});
