import { MessageChannel, type MessagePort } from 'node:worker_threads';

const { setTimeout, clearTimeout, setInterval, setImmediate, clearImmediate } =
  process.getBuiltinModule('node:timers');

/** Milliseconds; a timer that is set to more fires at once. */
export const LONGEST_TIMER = 0x7fffffff;

/** Keeps the process alive while it is referenced, which it is not at first. */
const holdByTimer = (): NodeJS.Timeout => setInterval(() => {}, LONGEST_TIMER).unref();

function holdByPort(): MessagePort {
  const { port1 } = new MessageChannel();
  port1.on('message', () => {});
  port1.unref();
  return port1;
}

/** In the next turn of the event loop, by way of a message to oneself. */
function setImmediateByPort(callback: () => void): void {
  const { port1, port2 } = new MessageChannel();
  port2.once('message', () => {
    port2.close();
    callback();
  });
  port1.postMessage(undefined);
}

/** Fakes do not return an object of Node's documented class. */
function isFaked(): boolean {
  const immediate = setImmediate(() => {});
  clearImmediate(immediate);
  return immediate.constructor.name !== 'Immediate';
}

const areFaked = isFaked();

/**
 * Node's own timers, taken when this module loads: a test runner may put fake ones in their place (node:test, jest, sinon) or take
 * them back while the pool has tasks, and the pool must go on. Not the globals, because jest's are fakes from the start when its
 * configuration says so. When the pool is imported after node:test or sinon has faked Node's own, what it cannot do without
 * is made of something else, and timeouts are those of the fakes.
 */
export const timers = {
  setTimeout,
  clearTimeout,
  setImmediate: areFaked ? setImmediateByPort : setImmediate,
  hold: areFaked ? holdByPort : holdByTimer,
};

/** Whether something resolves within so many milliseconds; Infinity: it waits for ever. Rejects as it does. */
export async function isInTime(
  something: Promise<unknown>,
  milliseconds: number,
  { setTimeout, clearTimeout } = timers,
): Promise<boolean> {
  if (milliseconds === Number.POSITIVE_INFINITY) return something.then(() => true);
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), Math.min(milliseconds, LONGEST_TIMER));
  });
  try {
    return await Promise.race([something.then(() => true), late]);
  } finally {
    clearTimeout(timer);
  }
}
