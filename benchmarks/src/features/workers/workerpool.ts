import workerpool from 'workerpool';
import { block, log } from '../log.js';
import * as tasks from '../tasks.js';
import { end } from './hooks.js';

/** What `this` of a function is. */
interface Call {
  readonly worker: { addAbortListener(listener: () => Promise<void>): void };
}

/** Ends when it hears of its abort. */
function tidy(this: Call, label: string): Promise<void> {
  return new Promise((resolve) => {
    this.worker.addAbortListener(async () => {
      log('tidied');
      resolve();
    });
    log(`began ${label}`);
  });
}

/** Waits without a pause for the listener to be called. */
function loop(this: Call, label: string): void {
  let heard = false;
  this.worker.addAbortListener(async () => {
    heard = true;
  });
  log(`began ${label}`);
  const until = Date.now() + 2000;
  while (!heard && Date.now() < until) block(1);
  if (heard) log('loop saw');
}

const transferred = (count: number): unknown => {
  const stream = tasks.readable(count);
  return new workerpool.Transfer(stream, [stream]);
};

workerpool.worker(
  { ...tasks, storage: () => {}, tidy, loop, transferred } as never,
  { onTerminate: end } as never,
);
