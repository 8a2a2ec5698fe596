import { readlinkSync } from 'node:fs';
import { parentPort, receiveMessageOnPort } from 'node:worker_threads';
import { tableOf } from '../shared/memory.js';
import { READY, type Startup } from '../shared/messages.js';
import { Channel } from './channel.js';
import { enterWorker } from './context.js';
import { Handlers } from './handlers.js';
import { Loop } from './loop.js';

enterWorker();
// The first message was posted before the thread started. The port itself is left to the worker file.
const first = receiveMessageOnPort(parentPort as never) as { message: Startup };
void start(first.message);

async function start(startup: Startup): Promise<void> {
  const channel = new Channel(startup);
  const handlers = new Handlers(channel);
  const loop = new Loop(startup, tableOf(startup.layout, startup.table), channel, handlers);
  // A file that fails to load fails the tasks that need it, each with the true reason; the worker stays.
  if (startup.preload >= 0) await handlers.load(startup.preload).catch(() => {});
  channel.listen(() => loop.onMessage());
  channel.post([READY, startup.nice ? kernelThreadId() : 0]);
  loop.drive();
}

/** Linux names threads by numbers of its own, which `os.setPriority` takes. */
function kernelThreadId(): number {
  try {
    return Number(readlinkSync('/proc/thread-self').split('/').pop());
  } catch {
    return 0;
  }
}
