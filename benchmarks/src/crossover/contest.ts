import assert from 'node:assert/strict';
import { blockOrders, createRandom } from '@plimsoll/lab';
import type { Amount } from '../arguments.js';
import { inFlightOf, type Shape } from '../shapes/shapes.js';
import { hostCpuMs } from '../support/host-cpu.js';
import { ARMS, type Arm, type ArmName, openArms } from './arms.js';
import { CELLS, type Cell, emptyMeasured, type Measured, type Window } from './cells.js';
import { type Task, turnsPerMicrosecond } from './work.js';

/** From here on the clock is read after each task, and eight in flight keep two workers busy. */
const LONG_US = 1000;
const CLOCK_EVERY = 16;

interface Lengths {
  readonly warmUpMs: number;
  readonly ms: number;
}

/** Enough for a dozen of the longest tasks by one thread. */
const windowOf = ({ length }: Cell, isSmoke: boolean): Lengths =>
  isSmoke
    ? { warmUpMs: 1, ms: 5 }
    : { warmUpMs: 15, ms: length >= 10 * LONG_US ? 250 : length >= LONG_US ? 100 : 60 };

/** Each block gives each arm a window in each cell, in random order; every second block is the one before reversed. */
export async function runContest(
  { blocks, seed, effort }: Amount,
  signal: AbortSignal,
  onWindow: () => void,
): Promise<Measured[]> {
  const random = createRandom(seed);
  const perMicrosecond = turnsPerMicrosecond();
  const arms = openArms();
  try {
    const all = CELLS.map((cell) => ({ cell, measured: emptyMeasured(cell) }));
    for (const { cell } of all) await checkArms(arms, cell);
    const orders = all.map(() =>
      blockOrders<ArmName>([...ARMS.filter((name) => name !== 'twin')], blocks, random),
    );
    for (let block = 0; block < blocks; block++) {
      for (const [index, { cell, measured }] of all.entries()) {
        const task = { turns: Math.round(cell.length * perMicrosecond), value: cell.value.value };
        for (const name of orders[index]?.[block] ?? []) {
          signal.throwIfAborted();
          measured.windows[name].push(await run(arms[name], task, cell, effort === 'smoke'));
          onWindow();
        }
      }
    }
    return all.map(({ measured }) => measured);
  } finally {
    await Promise.all(Object.values(arms).map((arm) => arm.close()));
  }
}

/** Everybody gives back the value, and is warm. */
async function checkArms(arms: Record<ArmName, Arm>, { value: { value } }: Cell): Promise<void> {
  for (const arm of Object.values(arms)) assert.deepEqual(await arm.run({ turns: 1, value }), value);
}

function run(arm: Arm, task: Task, cell: Cell, isSmoke: boolean): Promise<Window> {
  const isLong = cell.length >= LONG_US;
  const inFlight = isSmoke ? 2 : isLong ? 8 : inFlightOf({ bytes: cell.value.bytes } as Shape);
  return closedLoop(
    arm,
    task,
    windowOf(cell, isSmoke),
    inFlight,
    isLong || cell.value.bytes > 1e5 ? 1 : CLOCK_EVERY,
  );
}

/** As many lanes, each of which submits its next task when it has its last result; inline there is one, without a promise. */
async function closedLoop(
  arm: Arm,
  task: Task,
  { warmUpMs, ms }: Lengths,
  inFlight: number,
  clockEvery: number,
): Promise<Window> {
  const opened = performance.now();
  let done = 0;
  let begun: { readonly at: number; readonly done: number; readonly cpu: number } | undefined;
  let window: Window | undefined;
  const count = (): void => {
    if (++done % clockEvery !== 0 || window !== undefined) return;
    const now = performance.now();
    if (begun === undefined) {
      if (now - opened >= warmUpMs) begun = { at: now, done, cpu: hostCpuMs() };
    } else if (now - begun.at >= ms) {
      const tasks = done - begun.done;
      window = {
        rate: (tasks * 1000) / (now - begun.at),
        hostUs: ((hostCpuMs() - begun.cpu) * 1000) / tasks,
      };
    }
  };
  if (arm.isInline) {
    while (window === undefined) {
      arm.run(task);
      count();
    }
  } else {
    const lane = async (): Promise<void> => {
      while (window === undefined) {
        await arm.run(task);
        count();
      }
    };
    await Promise.all(Array.from({ length: inFlight }, lane));
  }
  return window as unknown as Window;
}
