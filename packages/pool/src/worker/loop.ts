import { isThenable, type TaskFunction } from '../shared/calls.js';
import { now } from '../shared/clock.js';
import { LARGEST_FILLED } from '../shared/codec/young.js';
import { AWAKE, cancelSleep, declareSleep, gateAt, retireItself, SLEEPING } from '../shared/gate.js';
import { ABORTABLE_NOW, FLAGS, HANDLER } from '../shared/layout.js';
import { Listener } from '../shared/listener.js';
import * as message from '../shared/messages.js';
import {
  anythingQueued,
  blockAt,
  claim,
  claimOwn,
  complete,
  mailCount,
  PULL,
  report,
  slotAt,
} from '../shared/table.js';
import { timers } from '../shared/timers.js';
import { unreadable } from '../shared/uncloneable.js';
import type { Channel } from './channel.js';
import type { Handlers } from './handlers.js';
import { outcomeOf } from './outcome.js';
import { recorderOf } from './recorder.js';
import { spinnerOf } from './spin.js';
import { isOutputPending, nextTick, outputTaken, runMicrotasks } from './thread.js';

/** Milliseconds after which a busy worker lets its own event loop run: timers, sockets, the inspector. */
const TURN = 1;
/** Milliseconds after which a worker that retires looks again for what continues a stream. */
const LOOK_AGAIN = 5;
/**
 * So often a worker that has moved a huge buffer looks for the next one, which may be soon. Its event loop would end the marking of
 * the whole heap that V8 begins for each of them; meanwhile several share one.
 */
const LOOKS = 50;
/** Milliseconds. */
const LOOK_EVERY = 0.1;
/** How many synchronous tasks may follow one another before the worker looks at the clock. */
const LOOK_AT_CLOCK = 16;

/** Claims tasks from the table, calls their functions, and reports their ends. It sleeps in the event loop. */
export function loopOf(startup: message.Startup, channel: Channel, handlers: Handlers) {
  const { table, index } = channel;
  const { words, layout } = table;
  const { concurrency, times, marks, maxHeapMb } = startup;
  const isRecording = (times ?? marks ?? maxHeapMb) !== undefined;
  const recorder = isRecording ? recorderOf(startup, channel) : undefined;
  const outcome = outcomeOf(channel, startup.maxValueBytes);
  const gate = gateAt(table, index);
  const listener = new Listener(words, gate, driveSoon);
  const abortableWord = blockAt(layout, index) + ABORTABLE_NOW;
  const spinner = spinnerOf(table, index + 1, () => anythingQueued(table, index), 32);
  const payloadSpinner = spinnerOf(table, -(index + 1), isAnyPayloadThere, 4);

  let running = 0;
  let hasMovedHuge = false;
  let abortable = false;
  let driving = false;
  let asleep = false;
  let yielding = false;
  let isMessageDue = false;
  /** The host is about to kill this worker for a task that it ran. */
  let condemned = false;
  /** How it takes tasks: once it retires, from its mailbox alone. */
  let take = claim;
  /** After a task that was for this worker alone it is the others' turn, lest a busy stream keeps them waiting. */
  let mayPass: ((slot: number) => boolean) | undefined;
  /** Called when a worker that retires has ended all that it had. */
  let onRetired: (() => void) | undefined;
  /** Slots whose tasks wait for their payloads. */
  const pulls: number[] = [];
  /** Tasks that have ended and wait for their output to be taken; when the last of them is reported. */
  let unreported = 0;
  let reported: Promise<void> | undefined;

  // A task that calls the host, or asks whether it shall end, reads the port, and no event tells then of payloads of other tasks.
  channel.onPayload = () => {
    if ((asleep || pulls.length > 0) && !driving) takeMessageSoon();
  };

  /**
   * Drives in a tick of its own: `runMicrotasks` does nothing inside a microtask, and what a tick throws there must reach Node, not
   * code that catches it, such as an EventTarget: Node's stack of async contexts would be corrupt.
   */
  function driveSoon(): void {
    nextTick(drive);
  }

  /** Claims and runs tasks until there are none, or it is the event loop's turn. */
  function drive(): void {
    if (driving || yielding) return;
    driving = true;
    try {
      // Work may read the port, and with it payloads that tasks wait for: no event tells of those any more.
      do {
        if (asleep) wakeUp();
        work();
      } while (!yielding && pulls.length > 0 && resumePulled());
    } finally {
      driving = false;
    }
  }

  function takeMessageSoon(): void {
    if (isMessageDue) return;
    isMessageDue = true;
    nextTick(takeMessage);
  }

  function takeMessage(): void {
    isMessageDue = false;
    if (pulls.length > 0 && !driving) {
      payloadSpinner.woken();
      resumePulled();
    }
    drive();
  }

  function wakeUp(): void {
    cancelSleep(words, gate);
    asleep = false;
    spinner.woken();
  }

  function work(): void {
    const end = now() + TURN;
    let untilClock = LOOK_AT_CLOCK;
    while (running < concurrency && !abortable && !condemned) {
      const slot = take(table, index, accepts, mayPass);
      if (slot === -1) {
        if (onRetired !== undefined) {
          endRetired();
          return;
        }
        // While asynchronous tasks run, spinning would hold up their event loop.
        if (running === 0 && spinner.spin()) continue;
        if (sleep()) return;
        continue;
      }
      start(slot);
      settleMicrotasks();
      if (--untilClock > 0) continue;
      if (now() > end) {
        yieldToEvents();
        return;
      }
      untilClock = LOOK_AT_CLOCK;
    }
  }

  function endRetired(): void {
    if (running > 0 || condemned) return;
    retireItself(words, gate);
    if (handlers.keepsAny()) {
      // A stream was opened when the host had told it already. Its gate is shut for those, so it has to look by itself.
      timers.setTimeout(driveSoon, LOOK_AGAIN);
      return;
    }
    condemned = true;
    // No wake-up: the host may be about to sleep, and would look for results only.
    channel.post(['leaves']);
    onRetired?.();
  }

  /** What a task leaves behind belongs before the next one. */
  function settleMicrotasks(): void {
    try {
      runMicrotasks();
    } catch (error) {
      // Uncaught, and so the end of this worker, unless the worker file has a handler for that.
      yieldToEvents();
      throw error;
    }
  }

  function yieldToEvents(): void {
    yielding = true;
    timers.setImmediate(() => {
      yielding = false;
      drive();
    });
  }

  /** Declares sleep, then looks once more. True when the worker may go. */
  function sleep(): boolean {
    declareSleep(words, gate);
    if (anythingQueued(table, index, accepts) || (running === 0 && waits(SLEEPING, isDue))) {
      cancelSleep(words, gate);
      return false;
    }
    spinner.sleeps();
    asleep = true;
    listener.listen();
    return true;
  }

  /** Is there work, or has it been woken? */
  function isDue(): boolean {
    return anythingQueued(table, index, accepts) || Atomics.load(words, gate) !== SLEEPING;
  }

  /** After a huge buffer it blocks for a while, its gate being in that state. True: it is there. */
  function waits(state: number, isThere: () => boolean): boolean {
    for (let looks = hasMovedHuge ? LOOKS : 0; looks > 0; looks--) {
      if (isThere()) return true;
      Atomics.wait(words, gate, state, LOOK_EVERY);
    }
    hasMovedHuge = false;
    return false;
  }

  function flagsOf(slot: number): number {
    return words[slotAt(layout, slot) + FLAGS] as number;
  }

  /**
   * A task that may be aborted shares a worker with no other one, and is not taken from those that wait for all before what was posted
   * to this worker with what it transfers: an abort would lose that.
   */
  function accepts(slot: number, isShared: boolean): boolean {
    if ((flagsOf(slot) & message.ABORTABLE) === 0) return true;
    return running === 0 && !(isShared && mailCount(table, index) > 0 && channel.holdsTransfers());
  }

  function isPinned(slot: number): boolean {
    return (flagsOf(slot) & message.PINNED) !== 0;
  }

  function start(slot: number): void {
    const flags = flagsOf(slot);
    running++;
    mayPass = (flags & message.PINNED) === 0 ? undefined : isPinned;
    setAbortable((flags & message.ABORTABLE) !== 0);
    if (recorder !== undefined) recorder.start(slot);
    if ((flags & message.PLACE_MASK) < message.IN_PORT) call(slot, undefined);
    else callPosted(slot);
  }

  function setAbortable(isAbortable: boolean): void {
    if (abortable === isAbortable) return;
    abortable = isAbortable;
    words[abortableWord] = isAbortable ? 1 : 0;
  }

  function callPosted(slot: number): void {
    channel.readAll();
    const payload = channel.payload(slot);
    if (payload !== undefined) {
      call(slot, payload);
      return;
    }
    pulls.push(slot);
    report(table, index, slot | PULL);
    channel.wakeHost();
    // A host that answers at once need not wake this thread for it, which costs it more than the answer.
    if (running > 1) return;
    if (payloadSpinner.spin() || waits(AWAKE, isAnyPayloadThere)) resumePulled();
    else payloadSpinner.sleeps();
  }

  /** Has a payload arrived that a task waits for? */
  function isAnyPayloadThere(): boolean {
    channel.readAll();
    return pulls.some(channel.hasPayload);
  }

  /** Calls the tasks whose payloads have arrived. False when there were none. */
  function resumePulled(): boolean {
    let resumed = false;
    for (const slot of [...pulls]) {
      const payload = channel.payload(slot);
      if (payload === undefined) continue;
      pulls.splice(pulls.indexOf(slot), 1);
      call(slot, payload);
      settleMicrotasks();
      resumed = true;
    }
    return resumed;
  }

  /** Calls the function of a task for the value that stands in the table, or that was posted. */
  function call(slot: number, payload: message.Payload | undefined): void {
    if (payload?.cancelled === true) {
      outcome.succeed(slot, undefined);
      leave(slot);
      return;
    }
    const base = slotAt(layout, slot);
    hasMovedHuge = (payload?.moved ?? 0) > LARGEST_FILLED;
    let task: unknown;
    try {
      task = payload === undefined ? channel.decode(base) : channel.read(payload);
    } catch (reason) {
      fail(slot, unreadable('task', reason));
      return;
    }
    const id = words[base + HANDLER] as number;
    const handler = handlers.get(id, slot);
    if (handler !== undefined) {
      invoke(slot, handler, task);
      return;
    }
    handlers.load(id, slot).then(
      (loaded) => invoke(slot, loaded, task),
      (error: unknown) => fail(slot, error),
    );
  }

  function invoke(slot: number, handler: TaskFunction, task: unknown): void {
    let result: unknown;
    let isLater: boolean;
    try {
      result = recorder?.call === undefined ? handler(task) : recorder.call(slot, handler, task);
      isLater = isThenable(result);
    } catch (error) {
      fail(slot, error);
      return;
    }
    if (isLater) void settle(slot, result);
    else succeed(slot, result);
  }

  /** `await` alone takes a promise for what it is, whatever properties it was given. */
  async function settle(slot: number, result: unknown): Promise<void> {
    let value: unknown;
    try {
      value = await result;
    } catch (error) {
      fail(slot, error);
      return;
    }
    succeed(slot, value);
  }

  function succeed(slot: number, result: unknown): void {
    try {
      if (outcome.succeed(slot, result) > LARGEST_FILLED) hasMovedHuge = true;
    } catch (error) {
      fail(slot, error);
      return;
    }
    end(slot);
  }

  function fail(slot: number, error: unknown): void {
    outcome.fail(slot, error);
    end(slot);
  }

  function end(slot: number): void {
    if (recorder !== undefined) recorder.end(slot);
    if (unreported === 0 && !isOutputPending()) {
      leave(slot);
      return;
    }
    // Rings hold results in the order of their reports: a task without output to wait for waits for the earlier tasks.
    unreported++;
    reported = Promise.all([reported, outputTaken()]).then(() => {
      unreported--;
      leave(slot);
    });
  }

  function leave(slot: number): void {
    running--;
    setAbortable(false);
    if (!complete(table, index, slot)) condemned = true;
    channel.wakeHost();
    if (!driving) driveSoon();
  }

  return {
    drive,
    driveSoon,
    /** Something arrived on the port. */
    onMessage: takeMessageSoon,
    /** Takes nothing more that others could take, and calls `whenDone` once it has ended all that it has. */
    retire(whenDone: () => void): void {
      if (onRetired !== undefined) return;
      onRetired = whenDone;
      take = claimOwn;
      driveSoon();
    },
  };
}
