import { MessageChannel, type MessagePort } from 'node:worker_threads';

const { setTimeout, clearTimeout, setInterval, setImmediate, clearImmediate } =
  process.getBuiltinModule('node:timers');

/** Milliseconds. Longer timers fire at once. */
export const LONGEST_TIMER = 0x7fffffff;

/** Keeps the process alive while it is referenced; it is unreferenced at first. */
const holdByTimer = (): NodeJS.Timeout => setInterval(() => {}, LONGEST_TIMER).unref();

function holdByPort(): MessagePort {
  const { port1 } = new MessageChannel();
  port1.on('message', () => {});
  port1.unref();
  return port1;
}

function setImmediateByPort(callback: () => void): void {
  const { port1, port2 } = new MessageChannel();
  port2.once('message', () => {
    port2.close();
    callback();
  });
  port1.postMessage(undefined);
}

/** Fake timers do not return Node's class. */
function isFaked(): boolean {
  const immediate = setImmediate(() => {});
  clearImmediate(immediate);
  return immediate.constructor.name !== 'Immediate';
}

const areFaked = isFaked();

/**
 * Node's own timers, saved at load: node:test, jest and sinon install and remove fakes while the pool has tasks. Not the
 * globals, which jest may replace from the start. If `node:timers` is fake already, ports replace `setImmediate` and `hold`.
 */
export const timers = {
  setTimeout,
  clearTimeout,
  setImmediate: areFaked ? setImmediateByPort : setImmediate,
  hold: areFaked ? holdByPort : holdByTimer,
};

/** Does something resolve within this many milliseconds (Infinity: no limit)? Rejects if it rejects. */
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
