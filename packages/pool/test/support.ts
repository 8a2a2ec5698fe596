import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';
import { Pool, type PoolOptions } from '@plimsoll/pool';
import Piscina, { type PiscinaOptions } from '@plimsoll/pool/piscina';
import { fillOptions } from '../dist/host/options.js';
import { geometryFor } from '../dist/host/state.js';
import { layoutOf } from '../dist/shared/layout.js';
import { type SharedTable, tableOf } from '../dist/shared/memory.js';
import type { PostPorts, Startup } from '../dist/shared/messages.js';

/** A file of the fixtures folder, which is not compiled. */
export const fixture = (name: string): URL => new URL(`../test/fixtures/${name}`, import.meta.url);

/** A pool over the usual fixture, closed when the test ends. */
export function poolFor(context: { after(fn: () => Promise<void>): void }, options: PoolOptions = {}): Pool {
  const pool = new Pool({ filename: fixture('tasks.mjs'), minThreads: 1, maxThreads: 1, ...options });
  context.after(() => pool.destroy());
  return pool;
}

/** The same with Piscina's interface. */
export function piscinaFor(
  context: { after(fn: () => Promise<void>): void },
  options: PiscinaOptions = {},
): Piscina {
  const filename = fileURLToPath(fixture('tasks.mjs'));
  const pool = new Piscina({ filename, minThreads: 1, maxThreads: 1, ...options });
  context.after(() => pool.destroy());
  return pool;
}

/** Waits until a condition holds; a minute is far beyond anything that a healthy run needs. */
export async function until(condition: () => boolean): Promise<void> {
  const end = performance.now() + 60_000;
  while (!condition()) {
    if (performance.now() > end) throw new Error('the condition did not come true within a minute');
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}

export interface Gate {
  /** What `hold` of the fixtures is given. */
  readonly words: Int32Array;
  /** Resolves when a task blocks its worker. */
  begun(): Promise<void>;
  open(): void;
}

/** For tasks that block their worker until the test says so, however long it takes to get there. */
export function newGate(): Gate {
  const words = new Int32Array(new SharedArrayBuffer(8));
  return {
    words,
    begun: () => until(() => Atomics.load(words, 1) > 0),
    open() {
      Atomics.store(words, 0, 1);
      Atomics.notify(words, 0);
    },
  };
}

/** What a promise is rejected with. */
export async function caught<Failure = Error & Record<string, unknown>>(
  promise: Promise<unknown>,
): Promise<Failure> {
  try {
    await promise;
  } catch (error) {
    return error as Failure;
  }
  return assert.fail('the promise was fulfilled');
}

/** The table of a pool, and what its first worker is told, for tests of a worker without a pool. */
export function bareStartup(): { table: SharedTable; startup: Omit<Startup, keyof PostPorts> } {
  const table = tableOf(layoutOf(geometryFor(fillOptions({}), undefined)));
  const startup = {
    layout: table.layout,
    table: table.buffer,
    index: 0,
    concurrency: 1,
    times: undefined,
    marks: undefined,
    lifecycle: {},
    patience: 0,
    number: undefined,
    maxHeapMb: undefined,
    maxValueBytes: Number.POSITIVE_INFINITY,
    clock: 'hrtime' as const,
    nice: false,
    hostTimeout: Number.POSITIVE_INFINITY,
    arenas: [],
    shapes: [],
    handlers: new Map(),
    preload: -1,
  };
  return { table, startup };
}
