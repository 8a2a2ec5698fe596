// The worker file of the stress. What it receives and returns carries a checksum.
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { move } from '@plimsoll/pool/worker';
import { checksum } from './checksum.mjs';
import { Random } from './random.mjs';
import { bytes, deep, depthOf as depthOfValue, nested, text, value } from './values.mjs';

/** What is printed, so that the stress can tell it from everything else. */
export const MARK = '\u0007';

export class OddError extends RangeError {
  name = 'OddError';
}

/** Checks its value, and answers with another one. */
export function answer({ seed, sum, value: received }) {
  const found = checksum(received);
  if (found !== sum) throw new Error(`the value of task ${seed} is damaged: ${found}, not ${sum}`);
  return resultOf(seed);
}
const resultOf = (seed) => {
  const result = value(new Random(seed));
  return { seed, sum: checksum(result), value: result };
};
export const answerLater = async (task) => {
  for (let turns = task.seed % 5; turns > 0; turns--) await setImmediate();
  if (task.seed % 7 === 0) await sleep(task.seed % 20);
  return answer(task);
};
export const echo = (given) => given;
export const sumOf = (given) => checksum(given);
export const moved = (seed) => move(bytes(new Random(seed)));
export const tell = ({ port, value: given }) => {
  port.postMessage(checksum(given));
  port.close();
};
export const count = (shared) => {
  Atomics.add(shared, 0, 1);
};

export const marksOf = (seed) => 1 + (seed % 200);
/** Prints, and returns what stands in the ring for results, which must not be overwritten while the output is on its way. */
export const print = async ({ seed, lines, sum, value: received }) => {
  const where = seed % 3 === 0 ? console.error : console.log;
  for (let line = 0; line < lines; line++) where(MARK.repeat(marksOf(seed)));
  if (seed % 2 === 0) await new Promise((resolve) => process.stdout.write('', resolve));
  const padding = 'p'.repeat(1000 + (seed % 97) * 500);
  return { ...answer({ seed, sum, value: received }), padding };
};

export const fail = (seed) => {
  throw thrownOf(seed);
};
/** Errors inside its properties would lose their classes, as with structured clone, or a list of them its identity. */
export function thrownOf(seed) {
  const random = new Random(seed);
  const cause = random.chance(0.5) ? new TypeError(text(random)) : nested(random, 40, false);
  const error = new OddError(text(random), { cause });
  return Object.assign(error, { details: nested(random, 40, false), code: `E_${seed}` });
}
/** Something in it that cannot be cloned, at a random place. */
export const returnFunction = (seed) => hide(new Random(seed), () => 1);
export function hide(random, what) {
  const list = nested(random, 60);
  return { list, map: new Map([[1, { deep: [Array.from({ length: random.below(50) }), what] }]]) };
}
const thrower = (message) => () => {
  throw new OddError(message);
};
export const unreadable = (seed) =>
  [
    () => Object.defineProperty({}, 'broken', { enumerable: true, get: thrower('getter') }),
    () => Object.defineProperty({}, 'then', { get: thrower('then') }),
    () => [new Proxy({}, { ownKeys: thrower('proxy') })],
  ][seed % 3]();
export const deepResult = (depth) => deep(depth);
export const depthOf = (given) => depthOfValue(given);
export const failDeeply = (depth) => {
  throw Object.assign(new OddError('deep'), { deep: deep(depth) });
};

export const spin = (milliseconds) => {
  const end = performance.now() + milliseconds;
  while (performance.now() < end);
  return milliseconds;
};
export const blockForever = () => {
  for (;;);
};
export const exit = (code) => process.exit(code);
export const crash = () =>
  new Promise(() => {
    globalThis.setImmediate(thrower('crashed on its own'));
  });
export const fillHeap = () => {
  const kept = [];
  for (;;) kept.push(new Array(10_000).fill({}));
};
