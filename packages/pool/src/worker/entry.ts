import { readlinkSync } from 'node:fs';
import { readTimeFrom } from '../shared/clock.js';
import { young } from '../shared/codec/young.js';
import { enterTinypool, enterWorker } from '../shared/context.js';
import type { Startup } from '../shared/messages.js';
import { timers } from '../shared/timers.js';
import { tried } from '../shared/untrusted.js';
import { takeMessage } from './next-message.js';
import { exit, nextTick } from './thread.js';
import { workerOf } from './worker.js';

/** Creates V8's code cache of this file for later workers. `boot.ts` passes it if the pool wants the cache. */
declare const makeCode: (() => Uint8Array) | undefined;

enterWorker();
young.schedule = (fill) => fill();
takeMessage((startup: Startup) => void start(startup));

async function start(startup: Startup): Promise<void> {
  readTimeFrom(startup.clock);
  if (startup.number !== undefined) enterTinypool(startup.number);
  const worker = workerOf(startup, { leave: () => exit(0), fail: dieOf });
  if (!(await worker.preload())) return;
  worker.open(startup.nice ? kernelThreadId() : 0);
  if (makeCode !== undefined) worker.channel.post(['code', makeCode()]);
}

/** Linux's id of this thread, for `os.setPriority`; 0 elsewhere. */
function kernelThreadId(): number {
  return tried(() => Number(readlinkSync('/proc/thread-self').split('/').pop()), 0);
}

/** Ends this worker with an uncaught error, even if the worker file has a handler for uncaught errors. */
function dieOf(error: unknown): void {
  nextTick(() => {
    timers.setImmediate(() => exit(1));
    throw error;
  });
}
