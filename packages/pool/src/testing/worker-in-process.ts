import { STREAMED, type TaskFunction } from '../shared/calls.js';
import { HANDLER } from '../shared/layout.js';
import type { Startup } from '../shared/messages.js';
import { slotAt } from '../shared/table.js';
import type { Channel } from '../worker/channel.js';
import { Handlers } from '../worker/handlers.js';
import { cannotLoad } from '../worker/load-error.js';
import { Worker } from '../worker/worker.js';
import type { FakeThread } from './fake-thread.js';
import type { Armed } from './faults.js';
import { simulation, withPermit } from './replaced.js';
import type { Call, Polled } from './simulation.js';

export { Pool } from '../pool.js';
export { enter } from './replaced.js';

/** What a dead worker waits for. Not one for all: that would keep whatever waits for it. */
const forEver = (): Promise<never> => new Promise(() => {});

/** A worker on this thread. Claims a task only when it is told to. */
export class WorkerInProcess extends Worker {
  readonly #thread: FakeThread;
  readonly #index: number;
  #post: Polled | undefined;

  constructor(thread: FakeThread, startup: Startup) {
    // No core is to spare for a thread that spins, and the heap is that of the test.
    const own = { ...startup, layout: { ...startup.layout, spinners: 0 }, maxHeapMb: undefined };
    const ends = {
      leave: () => thread.die({ exitCode: 0 }),
      fail: (error: unknown) => thread.die({ failure: { error }, exitCode: 1 }),
    };
    super(own, ends, (...parts) => new Functions(thread, ...parts));
    this.#thread = thread;
    this.#index = startup.index;
  }

  async start(): Promise<void> {
    if (!(await this.preload()) || this.#thread.isDead) return;
    this.open(0);
    this.#post = [...simulation.posts].at(-1);
  }

  take(): string | undefined {
    let name: string | undefined;
    const onClaim = (slot: number): void => {
      const handler = this.table.words[slotAt(this.table.layout, slot) + HANDLER] as number;
      name = this.channel.handler(handler)[2];
    };
    withPermit(this.#index, onClaim, () => this.loop.drive());
    return name;
  }

  close(): void {
    if (this.#post !== undefined) simulation.posts.delete(this.#post);
  }
}

/** Functions whose ends the simulation delivers, and that faults may hit. */
class Functions extends Handlers {
  readonly #gated = new WeakMap<TaskFunction, TaskFunction>();
  readonly #thread: FakeThread;
  readonly #channel: Channel;

  constructor(thread: FakeThread, ...parts: ConstructorParameters<typeof Handlers>) {
    super(...parts);
    this.#thread = thread;
    this.#channel = parts[0];
  }

  override get(id: number, slot: number): TaskFunction | undefined {
    const fn = super.get(id, slot);
    return fn && this.#gate(id, fn);
  }

  override async load(id: number, slot: number): Promise<TaskFunction> {
    simulation.loading++;
    // Read before anything is waited for.
    simulation.loader = this.#thread.threadId;
    try {
      const fn = await super.load(id, slot);
      return this.#gate(id, fn);
    } catch (error) {
      if (this.#thread.isDead) return await forEver();
      throw error;
    } finally {
      simulation.loading--;
    }
  }

  #gate(id: number, fn: TaskFunction): TaskFunction {
    const known = this.#gated.get(fn);
    if (known !== undefined) return known;
    const [, filename, name, how] = this.#channel.handler(id);
    const called = (how & STREAMED) === 0 ? fn : this.#opener(fn);
    const gated: TaskFunction = (value) => this.#call(filename, name, () => called(value));
    this.#gated.set(fn, gated);
    return gated;
  }

  /** The thread that it says a stream is kept by is the real one, on which all of them are. */
  #opener(fn: TaskFunction): TaskFunction {
    return async (value) => {
      const [, id] = (await fn(value)) as [number, number];
      return [this.#thread.threadId, id];
    };
  }

  #call(filename: string, name: string, run: () => unknown): unknown {
    const thread = this.#thread;
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
}

/** Waits for what a function gives as the loop of a worker does. */
async function called(run: () => unknown): Promise<unknown> {
  return run();
}

function hit({ kind, death }: Armed, call: Call): void {
  call.state = 'hangs';
  if (kind !== 'hang') void call.thread.die(death);
}
