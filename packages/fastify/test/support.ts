import { execFileSync } from 'node:child_process';
import { closeSync, constants, mkdtempSync, open, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { PlimsollPoolOptions } from '@plimsoll/fastify';
import { type FastifyInstance, fastify as fastify5 } from 'fastify';
import { fastify as fastify4 } from 'fastify-4';

const LONGEST_WAIT_MS = 120_000;

export type Create = (options?: object) => FastifyInstance;

/** Every supported line of Fastify; the types of version 4 are its own, what it does is the same. */
export const FASTIFIES: readonly (readonly [name: string, create: Create])[] = [
  ['Fastify 5', patient(fastify5 as Create)],
  ['Fastify 4', patient(fastify4 as unknown as Create)],
];

/** On a busy machine the start of a thread, for which the plugin waits, may take longer than usual. */
function patient(create: Create): Create {
  return (options) => create({ pluginTimeout: LONGEST_WAIT_MS, ...options });
}

export const fixture = (name: string): URL => new URL(`../test/fixtures/${name}`, import.meta.url);

/** A pool of one worker whose task `waitForGate` begins and ends when the test says so. */
export function gated(options: PlimsollPoolOptions = {}): {
  options: PlimsollPoolOptions;
  open(): void;
  begun(tasks: number): Promise<void>;
  /** Tasks that have begun. */
  count(): number;
} {
  const shared = new Int32Array(new SharedArrayBuffer(8));
  return {
    options: { filename: fixture('tasks.mjs'), minThreads: 1, maxThreads: 1, workerData: shared, ...options },
    open() {
      Atomics.store(shared, 0, 1);
      Atomics.notify(shared, 0);
    },
    count: () => Atomics.load(shared, 1),
    begun: (tasks) => until(() => Atomics.load(shared, 1) >= tasks),
  };
}

/** Waits for something that must happen, for so long that only what never happens fails. */
export async function until(happened: () => boolean): Promise<void> {
  const end = performance.now() + LONGEST_WAIT_MS;
  while (!happened()) {
    if (performance.now() > end) throw new Error(`it did not happen: ${happened}`);
    await sleep(2);
  }
}

export const SIZE = 4;

/**
 * Jobs that keep their threads of libuv's pool until they are released: each opens a FIFO that nobody writes to.
 *
 * @returns what ends them all, those that have no thread yet as soon as they get one
 */
export function holdThreads(t: TestContext): () => Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'plimsoll-fastify-'));
  const paths = Array.from({ length: SIZE }, (_, index) => join(folder, String(index)));
  execFileSync('mkfifo', paths);
  const held = new Set(paths);
  for (const path of paths) open(path, 'r', (_, file) => held.delete(path) && closeSync(file));
  const release = async (): Promise<void> => {
    await until(() => {
      for (const path of held) openForWriting(path);
      return held.size === 0;
    });
    rmSync(folder, { recursive: true, force: true });
  };
  t.after(release);
  return release;
}

/** A FIFO whose reader stays inside a system call until the test ends. */
export function fifoFor(t: TestContext): { readonly path: string; isRead(): boolean } {
  const folder = mkdtempSync(join(tmpdir(), 'plimsoll-fastify-'));
  const path = join(folder, 'fifo');
  execFileSync('mkfifo', [path]);
  let end: number | undefined;
  t.after(() => {
    if (end !== undefined) closeSync(end);
    rmSync(folder, { recursive: true, force: true });
  });
  const isRead = (): boolean => {
    end ??= endForWriting(path);
    return end !== undefined;
  };
  return { path, isRead };
}

function openForWriting(path: string): void {
  const end = endForWriting(path);
  if (end !== undefined) closeSync(end);
}

/** The other end, which lets the reader go; there is none while its job has no thread. */
function endForWriting(path: string): number | undefined {
  try {
    return openSync(path, constants.O_WRONLY | constants.O_NONBLOCK);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENXIO') throw error;
    return undefined;
  }
}
