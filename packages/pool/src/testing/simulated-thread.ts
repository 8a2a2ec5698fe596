import { EventEmitter } from 'node:events';
import type { TaskFunction } from '../shared/calls.js';
import { HANDLER } from '../shared/layout.js';
import type { Startup } from '../shared/messages.js';
import { slotAt } from '../shared/table.js';
import type { Channel } from '../worker/channel.js';
import type { Handlers } from '../worker/handlers.js';
import { cannotLoad } from '../worker/load-error.js';
import { type Worker, workerOf } from '../worker/worker.js';
import type { Armed, Death } from './faults.js';
import { simulation, withPermit } from './replaced.js';
import type { Call, Polled, Thread } from './simulation.js';

export { Pool } from '../pool.js';
export { enter } from './replaced.js';

const TERMINATED = 1;

/** The promise of a dead worker. A shared promise would keep everything that waits for it in memory. */
const forEver = (): Promise<never> => new Promise(() => {});

/** A worker without a thread, in place of Node's `Worker`. It acts only when the simulation tells it to. */
export class SimulatedThread extends EventEmitter implements Thread {
  isDead = false;
  isReady = false;
  #worker: Worker | undefined;
  #post: Polled | undefined;
  #exited: Promise<number> | undefined;

  constructor(readonly threadId: number) {
    super();
  }

  /** Gets the `Startup`. The pool posts nothing else here. */
  postMessage(startup: Startup): void {
    // No spinning, because there is one thread only; and the heap is the test's.
    const spinless = { ...startup, layout: { ...startup.layout, spinners: 0 }, maxHeapMb: undefined };
    const ends = {
      leave: () => this.die({ exitCode: 0 }),
      fail: (error: unknown) => this.die({ failure: { error }, exitCode: 1 }),
    };
    this.#worker = workerOf(spinless, ends, (handlers, channel) => gated(handlers, channel, this));
  }

  async start(): Promise<void> {
    this.isReady = true;
    if (!(await this.#worker?.preload()) || this.isDead) return;
    this.#worker?.open(0);
    this.#post = [...simulation.posts].at(-1);
  }

  take(): string | undefined {
    const { loop, channel } = this.#worker as Worker;
    const { words, layout } = channel.table;
    let name: string | undefined;
    const onClaim = (slot: number): void => {
      name = channel.handler(words[slotAt(layout, slot) + HANDLER] as number).name;
    };
    withPermit(channel.index, onClaim, () => loop.drive());
    return name;
  }

  terminate(): Promise<number> {
    return this.die({ exitCode: TERMINATED });
  }

  die({ failure, exitCode }: Death): Promise<number> {
    if (this.#exited !== undefined) return this.#exited;
    this.isDead = true;
    this.#exited = Promise.resolve().then(() => {
      if (this.#post !== undefined) simulation.posts.delete(this.#post);
      if (failure !== undefined) this.emit('error', failure.error);
      simulation.threadExited(this);
      this.emit('exit', exitCode);
      return exitCode;
    });
    return this.#exited;
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }
}

/** Wraps task functions, so that the simulation delivers their ends, and faults can hit them. */
function gated(handlers: Handlers, channel: Channel, thread: SimulatedThread): Handlers {
  const wrappers = new WeakMap<TaskFunction, TaskFunction>();

  function gate(id: number, fn: TaskFunction): TaskFunction {
    const { filename, name } = channel.handler(id);
    const delivered = wrappers.get(fn) ?? ((value) => call(filename, name, () => fn(value)));
    wrappers.set(fn, delivered);
    return delivered;
  }

  function call(filename: string, name: string, run: () => unknown): unknown {
    if (thread.isDead) return forEver();
    const fault = simulation.faults.ofCall(name);
    if (fault?.kind === 'load') throw cannotLoad(filename, fault.death.failure?.error);
    return new Promise((resolve) => {
      const call: Call = { thread, name, state: 'runs', report: () => resolve(ended) };
      simulation.calls.add(call);
      const ended = fault === undefined || fault.isAfter ? called(run) : forEver();
      if (fault !== undefined && !fault.isAfter) hit(fault, call);
      const onEnd = (): void => {
        if (fault !== undefined) hit(fault, call);
        else call.state = 'has ended';
        simulation.changed();
      };
      ended.then(onEnd, onEnd);
    });
  }

  return {
    ...handlers,

    get(id, slot) {
      const fn = handlers.get(id, slot);
      return fn && gate(id, fn);
    },

    async load(id, slot) {
      const load = { thread };
      simulation.loads.add(load);
      // `loadModule` reads it before it awaits anything.
      simulation.loader = thread.threadId;
      try {
        return gate(id, await handlers.load(id, slot));
      } catch (error) {
        if (thread.isDead) return await forEver();
        throw error;
      } finally {
        simulation.loads.delete(load);
      }
    },
  };
}

/** Awaits the result, as the loop of a worker does. */
async function called(run: () => unknown): Promise<unknown> {
  return run();
}

function hit({ kind, death }: Armed, call: Call): void {
  call.state = 'hangs';
  if (kind !== 'hang') void call.thread.die(death);
}
