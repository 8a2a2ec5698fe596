import { readlinkSync } from 'node:fs';
import { parentPort, receiveMessageOnPort } from 'node:worker_threads';
import { readTimeFrom } from '../shared/clock.js';
import { young } from '../shared/codec/young.js';
import { enterTinypool, enterWorker } from '../shared/context.js';
import { IN_DENO } from '../shared/deno.js';
import type { Startup } from '../shared/messages.js';
import { timers } from '../shared/timers.js';
import { exit, nextTick } from './thread.js';
import { Worker } from './worker.js';

enterWorker();
young.isFilled = true;
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
  if (startup.number !== undefined) enterTinypool(startup.number);
  const worker = new Worker(startup, { leave: () => exit(0), fail: dieOf });
  if (await worker.preload()) worker.open(startup.nice ? kernelThreadId() : 0);
}

/** Linux names threads by numbers of its own, which `os.setPriority` takes. */
function kernelThreadId(): number {
  try {
    return Number(readlinkSync('/proc/thread-self').split('/').pop());
  } catch {
    return 0;
  }
}

/** Ends this worker by an uncaught error, also when the worker file catches those. */
function dieOf(error: unknown): void {
  nextTick(() => {
    timers.setImmediate(() => exit(1));
    throw error;
  });
}
