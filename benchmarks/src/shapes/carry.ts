import { isDeepStrictEqual } from 'node:util';
import { threadId } from 'node:worker_threads';
import { collectGarbage } from './collect-garbage.js';
import { CARRIED, type Shape, sizeOf } from './shapes.js';

export interface WorkerMemory extends NodeJS.MemoryUsage {
  readonly threadId: number;
}

const ORDERS = ['give', 'compare', 'memory'] as const;

/** A task by which a worker returns a shape, or compares with it what it has got; a number, and no shape is negative. */
export const order = (what: (typeof ORDERS)[number], shape: Shape): number =>
  -1 - CARRIED.indexOf(shape) - CARRIED.length * ORDERS.indexOf(what);

/**
 * What a worker does: it takes a value and returns nothing, or is given an order. Of each value it looks at the size, for
 * a pool that would decode nothing until it is looked at; the first it remembers, to compare it.
 *
 * @param move marks bytes that are to be transferred.
 */
export function carry(move: (bytes: Uint8Array<ArrayBuffer>) => unknown): (task: unknown) => unknown {
  const made: unknown[] = [];
  let first: unknown;
  return (task) => {
    if (typeof task !== 'number' || task >= 0) {
      if (Number.isNaN(sizeOf(task))) throw new Error(`the worker was sent ${String(task)}`);
      first ??= task;
      return undefined;
    }
    const index = (-1 - task) % CARRIED.length;
    const shape = CARRIED[index] as Shape;
    switch (ORDERS[Math.floor((-1 - task) / CARRIED.length)]) {
      case 'compare':
        return first === undefined ? null : isDeepStrictEqual(first, structuredClone(shape.make()));
      case 'memory':
        collectGarbage();
        return { ...process.memoryUsage(), threadId } satisfies WorkerMemory;
      default:
        if (shape.isMoved) return move(shape.make() as Uint8Array<ArrayBuffer>);
        if (shape.isMadeAnew) return shape.make();
        made[index] ??= shape.make();
        return made[index];
    }
  };
}
