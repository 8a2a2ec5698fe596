import { isThenable, type TaskFunction } from '../shared/calls.js';
import { now } from '../shared/clock.js';
import { Decoder, memoryOf } from '../shared/codec/decode.js';
import { cancelSleep, declareSleep, gateAt, retireItself } from '../shared/gate.js';
import { ABORTABLE_NOW, FLAGS, HANDLER, LENGTH, OFFSET, PAYLOAD } from '../shared/layout.js';
import { Listener } from '../shared/listener.js';
import { chunkOf, type SharedTable, wordOf } from '../shared/memory.js';
import * as message from '../shared/messages.js';
import { anythingQueued, blockAt, claim, claimOwn, complete, PULL, report, slotAt } from '../shared/table.js';
import { timers } from '../shared/timers.js';
import { unreadable } from '../shared/uncloneable.js';
import type { Channel } from './channel.js';
import type { Handlers } from './handlers.js';
import { Outcome } from './outcome.js';
import { Recorder } from './recorder.js';
import { type Spinner, spinnerOf } from './spin.js';
import { isOutputPending, nextTick, outputTaken, runMicrotasks } from './thread.js';

/** Milliseconds after which a busy worker lets its own event loop run: timers, sockets, the inspector. */
const TURN = 1;
/** Milliseconds after which a worker that retires looks again for what continues a stream. */
const LOOK_AGAIN = 5;
/** How many synchronous tasks may follow one another before the worker looks at the clock. */
const LOOK_AT_CLOCK = 16;

/** Claims tasks from the table, calls their functions, and reports their ends. It sleeps in the event loop, and never blocks. */
export class Loop {
  #running = 0;
  #abortable = false;
  #driving = false;
  #asleep = false;
  #yielding = false;
  /** The host is about to kill this worker for a task that it ran. */
  #condemned = false;
  /** How it takes tasks: once it retires, from its mailbox alone. */
  #claim = claim;
  /** Called when a worker that retires has ended all that it had. */
  #onRetired: (() => void) | undefined;
  /** Slots whose tasks wait for their payloads. */
  readonly #pulls = new Set<number>();
  readonly #decoder: Decoder;
  readonly #spinner: Spinner;
  readonly #payloadSpinner: Spinner;
  readonly #outcome: Outcome;
  /** Tasks that have ended and wait for their output to be taken; when the last of them is reported. */
  #unreported = 0;
  #reported: Promise<void> | undefined;
  readonly #gate: number;
  readonly #listener: Listener;
  readonly #abortableWord: number;
  readonly #table: SharedTable;
  readonly #channel: Channel;
  readonly #handlers: Handlers;
  readonly #worker: number;
  readonly #concurrency: number;
  readonly #recorder: Recorder | undefined;
  readonly #accepts: ((slot: number) => boolean) | undefined;
  /** After a task that was for this worker alone it is the others' turn, lest a busy stream keeps them waiting. */
  #mayPass: ((slot: number) => boolean) | undefined;

  constructor(startup: message.Startup, channel: Channel, handlers: Handlers) {
    const { table, index } = channel;
    const { concurrency, times, marks, maxHeapMb } = startup;
    this.#table = table;
    this.#channel = channel;
    this.#handlers = handlers;
    this.#worker = index;
    this.#concurrency = concurrency;
    if ((times ?? marks ?? maxHeapMb) !== undefined) this.#recorder = new Recorder(startup, channel);
    this.#gate = gateAt(table, index);
    this.#listener = new Listener(table.words, this.#gate, this.driveSoon);
    this.#abortableWord = blockAt(table.layout, index) + ABORTABLE_NOW;
    this.#decoder = new Decoder(channel.makers, (address, length) => channel.borrow(address, length));
    this.#spinner = spinnerOf(table, index + 1, () => anythingQueued(table, index), 32);
    this.#payloadSpinner = spinnerOf(table, -(index + 1), () => this.#isAnyPayloadThere(), 4);
    this.#outcome = new Outcome(channel);
    this.#accepts = concurrency > 1 ? (slot) => this.#mayShare(slot) : undefined;
  }

  /**
   * Drives in a tick of its own: `runMicrotasks` does nothing inside a microtask, and what a tick throws there must reach Node, not
   * code that catches it, such as an EventTarget: Node's stack of async contexts would be corrupt.
   */
  readonly driveSoon = (): void => nextTick(this.#driveNow);
  readonly #driveNow = (): void => this.drive();

  /** Something arrived on the port. */
  readonly onMessage = (): void => nextTick(this.#takeMessage);
  readonly #takeMessage = (): void => {
    if (this.#pulls.size > 0 && !this.#driving) {
      this.#payloadSpinner.woken();
      this.#resumePulled();
    }
    this.drive();
  };

  /** Claims and runs tasks until there are none, or it is the event loop's turn. */
  drive(): void {
    if (this.#driving || this.#yielding) return;
    this.#driving = true;
    try {
      // Work may read the port, and with it payloads that tasks wait for: no event tells of those any more.
      do {
        if (this.#asleep && !this.#wakeUp()) return;
        this.#work();
      } while (!this.#yielding && this.#pulls.size > 0 && this.#resumePulled());
    } finally {
      this.#driving = false;
    }
  }

  /** Nothing may be claimed before this, because the host may retire a worker that sleeps. */
  #wakeUp(): boolean {
    if (!cancelSleep(this.#table.words, this.#gate)) return false;
    this.#asleep = false;
    this.#spinner.woken();
    return true;
  }

  #work(): void {
    const end = now() + TURN;
    let untilClock = LOOK_AT_CLOCK;
    while (this.#running < this.#concurrency && !this.#abortable && !this.#condemned) {
      const slot = this.#claim(this.#table, this.#worker, this.#accepts, this.#mayPass);
      if (slot === -1) {
        if (this.#onRetired !== undefined) {
          this.#endRetired();
          return;
        }
        // While asynchronous tasks run, spinning would hold up their event loop.
        if (this.#running === 0 && this.#spinner.spin()) continue;
        if (this.#sleep()) return;
        continue;
      }
      this.#start(slot);
      this.#settleMicrotasks();
      if (--untilClock > 0) continue;
      if (now() > end) {
        this.#yieldToEvents();
        return;
      }
      untilClock = LOOK_AT_CLOCK;
    }
  }

  /** Takes nothing more that others could take, and calls `end` once it has ended all that it has. */
  retire(end: () => void): void {
    if (this.#onRetired !== undefined) return;
    this.#onRetired = end;
    this.#claim = claimOwn;
    // The host has seen to it that a worker that sleeps has nothing.
    if (this.#asleep && !this.#wakeUp()) this.#endRetired();
    else this.driveSoon();
  }

  #endRetired(): void {
    if (this.#running > 0 || this.#condemned) return;
    if (this.#handlers.keepsAny) {
      // A stream was opened when the host had told it already. Its gate is shut for those, so it has to look by itself.
      retireItself(this.#table.words, this.#gate);
      timers.setTimeout(this.driveSoon, LOOK_AGAIN);
      return;
    }
    this.#condemned = true;
    retireItself(this.#table.words, this.#gate);
    // No wake-up: the host may be about to sleep, and would look for results only.
    this.#channel.post([message.LEAVES]);
    this.#onRetired?.();
  }

  /** What a task leaves behind belongs before the next one. */
  #settleMicrotasks(): void {
    try {
      runMicrotasks();
    } catch (error) {
      // Uncaught, and so the end of this worker, unless the worker file has a handler for that.
      this.#yieldToEvents();
      throw error;
    }
  }

  #yieldToEvents(): void {
    this.#yielding = true;
    timers.setImmediate(() => {
      this.#yielding = false;
      this.drive();
    });
  }

  /** Declares sleep, then looks once more. True when the worker may go. */
  #sleep(): boolean {
    const { words } = this.#table;
    declareSleep(words, this.#gate);
    if (anythingQueued(this.#table, this.#worker, this.#accepts) && cancelSleep(words, this.#gate))
      return false;
    this.#spinner.sleeps();
    this.#asleep = true;
    this.#listener.listen();
    return true;
  }

  #flagsOf(slot: number): number {
    return this.#table.words[slotAt(this.#table.layout, slot) + FLAGS] as number;
  }

  /** A task that may be killed shares a worker with no other one. */
  #mayShare(slot: number): boolean {
    return this.#running === 0 || (this.#flagsOf(slot) & message.ABORTABLE) === 0;
  }

  readonly #isPinned = (slot: number): boolean => (this.#flagsOf(slot) & message.PINNED) !== 0;

  #start(slot: number): void {
    const flags = this.#flagsOf(slot);
    this.#running++;
    this.#mayPass = (flags & message.PINNED) === 0 ? undefined : this.#isPinned;
    this.#setAbortable((flags & message.ABORTABLE) !== 0);
    if (this.#recorder !== undefined) this.#recorder.start(slot);
    if ((flags & message.PLACE_MASK) < message.IN_PORT) this.#call(slot, undefined);
    else this.#callPosted(slot);
  }

  #setAbortable(abortable: boolean): void {
    if (this.#abortable === abortable) return;
    this.#abortable = abortable;
    this.#table.words[this.#abortableWord] = abortable ? 1 : 0;
  }

  #callPosted(slot: number): void {
    this.#channel.readAll();
    const payload = this.#channel.payload(slot);
    if (payload !== undefined) {
      this.#call(slot, payload);
      return;
    }
    this.#pulls.add(slot);
    report(this.#table, this.#worker, slot | PULL);
    this.#channel.wakeHost();
    // A host that answers at once need not wake this thread for it, which costs it more than the answer.
    if (this.#running > 1) return;
    if (this.#payloadSpinner.spin()) this.#resumePulled();
    else this.#payloadSpinner.sleeps();
  }

  /** Has a payload arrived that a task waits for? */
  #isAnyPayloadThere(): boolean {
    this.#channel.readAll();
    for (const slot of this.#pulls) if (this.#channel.hasPayload(slot)) return true;
    return false;
  }

  /** Calls the tasks whose payloads have arrived. False when there were none. */
  #resumePulled(): boolean {
    let resumed = false;
    for (const slot of this.#pulls) {
      const payload = this.#channel.payload(slot);
      if (payload === undefined) continue;
      this.#pulls.delete(slot);
      this.#call(slot, payload);
      this.#settleMicrotasks();
      resumed = true;
    }
    return resumed;
  }

  /** Calls the function of a task for the value that stands in the table, or that was posted. */
  #call(slot: number, payload: message.Payload | undefined): void {
    if (payload?.cancelled === true) {
      this.#outcome.succeed(slot, undefined);
      this.#leave(slot);
      return;
    }
    const base = slotAt(this.#table.layout, slot);
    let task: unknown;
    try {
      task = payload === undefined ? this.#decode(base) : this.#read(payload);
    } catch (reason) {
      this.#fail(slot, unreadable('task', reason));
      return;
    }
    const id = this.#table.words[base + HANDLER] as number;
    const handler = this.#handlers.get(id);
    if (handler !== undefined) {
      this.#invoke(slot, handler, task);
      return;
    }
    this.#handlers.load(id, slot).then(
      (loaded) => this.#invoke(slot, loaded, task),
      (error: unknown) => this.#fail(slot, error),
    );
  }

  #decode(base: number): unknown {
    const { words } = this.#table;
    const flags = words[base + FLAGS] as number;
    const length = words[base + LENGTH] as number;
    const isInSlot = (flags & message.PLACE_MASK) === message.IN_SLOT;
    const address = words[base + OFFSET] as number;
    const memory = isInSlot ? this.#table : this.#channel.arena(chunkOf(address));
    const at = isInSlot ? base + PAYLOAD : wordOf(address);
    return this.#decoder.decode(memory, at, length, flags >> message.ENCODING_FLAGS);
  }

  #read({ value, words, encodingFlags = 0, externals, unreadable }: message.Payload): unknown {
    if (unreadable !== undefined) throw unreadable.reason;
    if (words === undefined) return value;
    const memory = memoryOf(words.buffer as ArrayBuffer);
    return this.#decoder.decode(memory, 0, words.length, encodingFlags, externals);
  }

  #invoke(slot: number, handler: TaskFunction, task: unknown): void {
    const around = this.#recorder?.call;
    let result: unknown;
    let isLater: boolean;
    try {
      result = around === undefined ? handler(task) : around(slot, handler, task);
      isLater = isThenable(result);
    } catch (error) {
      this.#fail(slot, error);
      return;
    }
    if (isLater) void this.#settle(slot, result);
    else this.#succeed(slot, result);
  }

  /** `await` alone takes a promise for what it is, whatever properties it was given. */
  async #settle(slot: number, result: unknown): Promise<void> {
    let value: unknown;
    try {
      value = await result;
    } catch (error) {
      this.#fail(slot, error);
      return;
    }
    this.#succeed(slot, value);
  }

  #succeed(slot: number, result: unknown): void {
    try {
      this.#outcome.succeed(slot, result);
    } catch (error) {
      this.#fail(slot, error);
      return;
    }
    this.#end(slot);
  }

  #fail(slot: number, error: unknown): void {
    this.#outcome.fail(slot, error);
    this.#end(slot);
  }

  #end(slot: number): void {
    if (this.#recorder !== undefined) this.#recorder.end(slot);
    if (this.#unreported > 0 || isOutputPending()) this.#leaveInTurn(slot);
    else this.#leave(slot);
  }

  /** Results stand in their rings in the order in which they are reported: who need not wait for output waits for those before. */
  #leaveInTurn(slot: number): void {
    this.#unreported++;
    this.#reported = Promise.all([this.#reported, outputTaken()]).then(() => {
      this.#unreported--;
      this.#leave(slot);
    });
  }

  #leave(slot: number): void {
    this.#running--;
    this.#setAbortable(false);
    if (!complete(this.#table, this.#worker, slot)) this.#condemned = true;
    this.#channel.wakeHost();
    if (!this.#driving) this.driveSoon();
  }
}
