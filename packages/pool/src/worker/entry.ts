import { readlinkSync } from 'node:fs';
import { parentPort, receiveMessageOnPort } from 'node:worker_threads';
import { readTimeFrom } from '../shared/clock.js';
import { enterWorker } from '../shared/context.js';
import { IN_DENO } from '../shared/deno.js';
import { tableOf } from '../shared/memory.js';
import { DISPOSES, READY, type Startup } from '../shared/messages.js';
import { isInTime, timers } from '../shared/timers.js';
import { Channel } from './channel.js';
import { Handlers, NO_SLOT } from './handlers.js';
import { Lifecycle, SetupFailure } from './lifecycle.js';
import { Loop } from './loop.js';
import { nextTick, outputTaken } from './thread.js';

enterWorker();
if (IN_DENO) parentPort?.once('message', (startup: Startup) => void start(startup));
else void start(firstMessage());

/**
 * What the host posts as soon as it has started the thread: it is there by now, unless the host was held up right then.
 * Waits for it without listening, because the port is left to the worker file. Not in Deno, where `parentPort` is no
 * MessagePort.
 */
function firstMessage(): Startup {
  const nobody = new Int32Array(new SharedArrayBuffer(4));
  for (;;) {
    const first = receiveMessageOnPort(parentPort as never) as { message: Startup } | undefined;
    if (first !== undefined) return first.message;
    Atomics.wait(nobody, 0, 0, 1);
  }
}

async function start(startup: Startup): Promise<void> {
  readTimeFrom(startup.clock);
  const channel = new Channel(startup);
  const table = tableOf(startup.layout, startup.table);
  const lifecycle =
    startup.lifecycle === undefined ? undefined : new Lifecycle(() => channel.post([DISPOSES]));
  const handlers = new Handlers(channel, table, lifecycle);
  const loop = new Loop(startup, table, channel, handlers);
  channel.onRetire = () => loop.retire(() => void endWorker(lifecycle, startup.lifecycle));
  try {
    if (startup.preload >= 0) await handlers.load(startup.preload, NO_SLOT);
  } catch (error) {
    // A file that fails to load fails the tasks that need it, each with the true reason; the worker stays.
    if (error instanceof SetupFailure) {
      dieOf(error.cause);
      return;
    }
  }
  channel.listen(loop.onMessage);
  channel.post([READY, startup.nice ? kernelThreadId() : 0]);
  loop.driveSoon();
}

/** Linux names threads by numbers of its own, which `os.setPriority` takes. */
function kernelThreadId(): number {
  try {
    return Number(readlinkSync('/proc/thread-self').split('/').pop());
  } catch {
    return 0;
  }
}

/** Ends this worker, which has nothing more to do: its files dispose of what they have, and what they print arrives. */
async function endWorker(lifecycle: Lifecycle | undefined, patience = 0): Promise<void> {
  try {
    if (lifecycle !== undefined) await isInTime(lifecycle.dispose(), patience);
  } catch (error) {
    dieOf(error);
    return;
  }
  await outputTaken();
  process.exit(0);
}

/** Ends this worker by an uncaught error, also when the worker file catches those. */
function dieOf(error: unknown): void {
  nextTick(() => {
    timers.setImmediate(() => process.exit(1));
    throw error;
  });
}
