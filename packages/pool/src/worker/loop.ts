import { isThenable, type TaskFunction } from '../shared/calls.js';
import { now } from '../shared/clock.js';
import { LARGEST_FILLED } from '../shared/codec/young.js';
import { AWAKE, cancelSleep, declareSleep, gateAt, retireItself, SLEEPING } from '../shared/gate.js';
import { ABORTABLE_NOW, FLAGS, HANDLER } from '../shared/layout.js';
import { Listener } from '../shared/listener.js';
import * as message from '../shared/messages.js';
import { bytesOf } from '../shared/move.js';
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

/** Milliseconds of tasks after which a worker lets its event loop run. */
const TURN = 1;
/** Milliseconds after which a retired worker looks again for steps of open streams. */
const LOOK_AGAIN = 5;
/**
 * Waits after a huge buffer, in case the next one comes soon: V8 starts a marking of the heap for each such buffer,
 * and completes it in the event loop. While a worker waits, several buffers share one marking.
 */
const LOOKS = 50;
/** Milliseconds of each such wait. */
const LOOK_EVERY = 0.1;
/** Synchronous tasks between two looks at the clock. */
const LOOK_AT_CLOCK = 16;

/** Claims tasks, calls their functions and reports their ends. Without tasks, it sleeps in the event loop. */
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
  /** The worker takes nothing more: the host will kill it for a condemned task, or it has retired. */
  let condemned = false;
  /** How it claims tasks. A retiring worker claims from its mailbox only. */
  let take = claim;
  /** Mail that the queue may pass. After mail, it is the queue's turn, so that a busy stream does not delay the queue. */
  let mayPass: ((slot: number) => boolean) | undefined;
  /** Set once the worker retires; called when all its tasks have ended. */
  let onRetired: (() => void) | undefined;
  /** Slots whose tasks wait for their payloads. */
  const pulls: number[] = [];
  /** Ended tasks whose output the host has not taken yet, and the report of the last of them. */
  let unreported = 0;
  let reported: Promise<void> | undefined;

  // A task that calls the host or checks `task.aborted` reads the port. Payloads of other tasks then come without an event.
  channel.onPayload = () => {
    if ((asleep || pulls.length > 0) && !driving) takeMessageSoon();
  };

  /**
   * Calls `drive` in a tick of its own: `runMicrotasks` does nothing inside a microtask, and errors of microtasks must reach
   * Node. If other code caught them, such as an EventTarget, Node's stack of async contexts would be corrupt.
   */
  function driveSoon(): void {
    nextTick(drive);
  }

  function drive(): void {
    if (driving || yielding) return;
    driving = true;
    try {
      // `work` may have read payloads from the port, which no event announces any more.
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
        // While asynchronous tasks run, spinning would block their event loop.
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
      // A task has opened a stream that the host may continue. Nobody wakes a retired worker, so it must look again.
      timers.setTimeout(driveSoon, LOOK_AGAIN);
      return;
    }
    condemned = true;
    // A message, not a wake-up: a host that is about to sleep would look for results only.
    channel.post(['leaves']);
    onRetired?.();
  }

  /** Lets a task's microtasks and ticks run before the next task. */
  function settleMicrotasks(): void {
    try {
      runMicrotasks();
    } catch (error) {
      // Uncaught: the error ends this worker, unless the worker file handles it.
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

  /** Returns true if the worker may return to its event loop. */
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

  function isDue(): boolean {
    return anythingQueued(table, index, accepts) || Atomics.load(words, gate) !== SLEEPING;
  }

  /** After a huge buffer, blocks for a few milliseconds, until `isThere` or until the gate leaves `state`. */
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
   * Abortable tasks share no worker. They stay in the queue while mail with transferred objects is here, which an
   * abort would lose.
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
    // The host often answers sooner than it could wake this thread.
    if (running > 1) return;
    if (payloadSpinner.spin() || waits(AWAKE, isAnyPayloadThere)) resumePulled();
    else payloadSpinner.sleeps();
  }

  function isAnyPayloadThere(): boolean {
    channel.readAll();
    return pulls.some(channel.hasPayload);
  }

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

  function call(slot: number, payload: message.Payload | undefined): void {
    if (payload?.cancelled === true) {
      outcome.succeed(slot, undefined);
      leave(slot);
      return;
    }
    const base = slotAt(layout, slot);
    hasMovedHuge = bytesOf(payload?.buffers ?? []) > LARGEST_FILLED;
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

  /** `await` alone ignores properties put on a promise, such as its own `then`. */
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
    // The ring holds results in the order of reports, so a task without output waits for earlier tasks, too.
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
    onMessage: takeMessageSoon,
    /** From now on it claims mail only; `whenDone` is called once all its tasks have ended. */
    retire(whenDone: () => void): void {
      if (onRetired !== undefined) return;
      onRetired = whenDone;
      take = claimOwn;
      driveSoon();
    },
  };
}
