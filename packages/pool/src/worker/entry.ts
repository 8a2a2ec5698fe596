import { readlinkSync } from 'node:fs';
import { parentPort, receiveMessageOnPort } from 'node:worker_threads';
import { readTimeFrom } from '../shared/clock.js';
import { enterWorker } from '../shared/context.js';
import { IN_DENO } from '../shared/deno.js';
import { tableOf } from '../shared/memory.js';
import { DISPOSES, READY, type Startup } from '../shared/messages.js';
import { Channel } from './channel.js';
import { dieOf, endWorker } from './ending.js';
import { Handlers, NO_SLOT } from './handlers.js';
import { Lifecycle, SetupFailure } from './lifecycle.js';
import { Loop } from './loop.js';

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
    startup.lifecycle !== undefined ? new Lifecycle(() => channel.post([DISPOSES])) : undefined;
  const handlers = new Handlers(channel, table, lifecycle);
  const loop = new Loop(startup, table, channel, handlers);
  channel.onRetire = () => loop.retire(() => void endWorker(lifecycle, startup.lifecycle));
  const failure = await preload(handlers, startup.preload);
  if (failure !== undefined) {
    dieOf(failure.cause);
    return;
  }
  channel.listen(loop.onMessage);
  channel.post([READY, startup.nice ? kernelThreadId() : 0]);
  loop.driveSoon();
}

/** A file that fails to load fails the tasks that need it, each with the true reason; the worker stays. One whose `setup()` fails ends it. */
async function preload(handlers: Handlers, handler: number): Promise<SetupFailure | undefined> {
  if (handler < 0) return undefined;
  try {
    await handlers.load(handler, NO_SLOT);
    return undefined;
  } catch (error) {
    return error instanceof SetupFailure ? error : undefined;
  }
}

/** Linux names threads by numbers of its own, which `os.setPriority` takes. */
function kernelThreadId(): number {
  try {
    return Number(readlinkSync('/proc/thread-self').split('/').pop());
  } catch {
    return 0;
  }
}
