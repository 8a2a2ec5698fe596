import { STREAMED, type TaskFunction } from '../../shared/calls.js';
import { HANDLER } from '../../shared/layout.js';
import { type SharedTable, tableOf } from '../../shared/memory.js';
import { DISPOSES, READY, type Startup } from '../../shared/messages.js';
import { slotAt } from '../../shared/table.js';
import { Channel } from '../../worker/channel.js';
import { Handlers, NO_SLOT } from '../../worker/handlers.js';
import { Lifecycle, SetupFailure } from '../../worker/lifecycle.js';
import { cannotLoad } from '../../worker/load-error.js';
import { Loop } from '../../worker/loop.js';
import type { FakeThread } from '../fake-thread.js';
import type { Armed, Death } from '../faults.js';
import type { Call, Polled } from '../simulation.js';
import { simulation } from './here.js';
import { withPermit } from './permits.js';
import { isInTime } from './timers.js';

/** What a dead worker waits for. Not one for all: that would keep whatever waits for it. */
const forEver = (): Promise<never> => new Promise(() => {});

/** The loop of a worker, on this thread. Claims a task only when it is told to. */
export class WorkerInProcess {
  readonly #thread: FakeThread;
  readonly #startup: Startup;
  readonly #table: SharedTable;
  readonly #channel: Channel;
  readonly #handlers: Functions;
  readonly #loop: Loop;
  readonly #lifecycle: Lifecycle | undefined;
  #post: Polled | undefined;

  constructor(thread: FakeThread, startup: Startup) {
    this.#thread = thread;
    this.#startup = startup;
    this.#table = tableOf(startup.layout, startup.table);
    this.#channel = new Channel(startup);
    this.#lifecycle =
      startup.lifecycle === undefined ? undefined : new Lifecycle(() => this.#channel.post([DISPOSES]));
    this.#handlers = new Functions(thread, this.#channel, this.#table, this.#lifecycle);
    this.#loop = new Loop(startup, this.#table, this.#channel, this.#handlers);
    this.#channel.onRetire = () => this.#loop.retire(() => void this.#end());
  }

  /** As `worker/entry.ts` does. */
  async start(): Promise<void> {
    const { preload } = this.#startup;
    try {
      if (preload >= 0) await this.#handlers.load(preload, NO_SLOT);
    } catch (error) {
      if (error instanceof SetupFailure) await this.#thread.die(byError(error.cause));
    }
    if (this.#thread.isDead) return;
    this.#channel.listen(this.#loop.onMessage);
    this.#post = [...simulation.posts].at(-1);
    this.#channel.post([READY, 0]);
    this.#loop.driveSoon();
  }

  /** As `worker/ending.ts` does. */
  async #end(): Promise<void> {
    try {
      if (this.#lifecycle !== undefined)
        await isInTime(this.#lifecycle.dispose(), this.#startup.lifecycle ?? 0);
      await this.#thread.die({ exitCode: 0 });
    } catch (error) {
      await this.#thread.die(byError(error));
    }
  }

  take(): string | undefined {
    let name: string | undefined;
    const onClaim = (slot: number): void => {
      const handler = this.#table.words[slotAt(this.#table.layout, slot) + HANDLER] as number;
      name = this.#channel.handler(handler)[2];
    };
    withPermit(this.#startup.index, onClaim, () => this.#loop.drive());
    return name;
  }

  close(): void {
    if (this.#post !== undefined) simulation.posts.delete(this.#post);
  }
}

/** Functions whose ends nobody hears of before the simulation says so, and that faults may hit. */
class Functions extends Handlers {
  readonly #gated = new WeakMap<TaskFunction, TaskFunction>();
  readonly #thread: FakeThread;
  readonly #channel: Channel;

  constructor(thread: FakeThread, channel: Channel, table: SharedTable, lifecycle: Lifecycle | undefined) {
    super(channel, table, lifecycle);
    this.#thread = thread;
    this.#channel = channel;
  }

  override get(id: number): TaskFunction | undefined {
    const found = super.get(id);
    return found && this.#gate(id, found);
  }

  override async load(id: number, slot: number): Promise<TaskFunction> {
    simulation.loading++;
    // Read before anything is waited for.
    simulation.loader = this.#thread.threadId;
    try {
      const found = await super.load(id, slot);
      return this.#gate(id, found);
    } catch (error) {
      if (this.#thread.isDead) return await forEver();
      throw error;
    } finally {
      simulation.loading--;
    }
  }

  #gate(id: number, found: TaskFunction): TaskFunction {
    const known = this.#gated.get(found);
    if (known !== undefined) return known;
    const [, filename, name, how] = this.#channel.handler(id);
    const called = (how & STREAMED) === 0 ? found : this.#opener(found);
    const gated: TaskFunction = (value) => this.#call(filename, name, () => called(value));
    this.#gated.set(found, gated);
    return gated;
  }

  /** The thread that it says a stream is kept by is the real one, on which all of them are. */
  #opener(found: TaskFunction): TaskFunction {
    return async (value) => {
      const [, id] = (await found(value)) as [number, number];
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

/** An uncaught error. */
const byError = (error: unknown): Death => ({ failure: { error }, exitCode: 1 });
