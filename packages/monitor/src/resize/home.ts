import { writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { BroadcastChannel, Worker } from 'node:worker_threads';
import type { ToThreads } from './messages.js';
import { EngineState, NAME } from './state.js';

/** Megabytes: it keeps nothing. */
const HEAP = { maxYoungGenerationSizeMb: 1, maxOldGenerationSizeMb: 64 };
const KEY = Symbol.for(NAME);

/** What the engine's thread is started with. */
export interface EngineStartup {
  readonly buffer: SharedArrayBuffer;
  readonly tmp: string;
}

/** The state of this thread's engine; only the main thread ever has one. */
export const stateAtHome = (): EngineState | undefined => {
  const buffer = Reflect.get(globalThis, KEY) as SharedArrayBuffer | undefined;
  return buffer && new EngineState(buffer);
};

/**
 * Starts the thread that resizes the pool, once for a process, whichever copy of this package is first. To be called in the main
 * thread, whose end is that of the process: then libuv joins as many threads as its variable says, so the true number goes back.
 *
 * The parked threads need nothing of the sort: the end of their FIFO is a handle of the engine's thread, and goes with it.
 */
export function startEngine(source: string): void {
  if (Reflect.has(globalThis, KEY)) return;
  const state = new EngineState();
  const worker = new Worker(source, {
    eval: true,
    name: 'plimsoll-resize',
    // What the application preloads is not for this thread.
    execArgv: [],
    env: {},
    resourceLimits: HEAP,
    // A number may be another file's by the time that Node closes what a thread left open.
    trackUnmanagedFds: false,
    workerData: { buffer: state.buffer, tmp: tmpdir() } satisfies EngineStartup,
  });
  Reflect.defineProperty(globalThis, KEY, { value: state.buffer, configurable: true });
  const restore = (): void => {
    if (state.memory !== undefined && state.real > 0) {
      const bytes = Buffer.alloc(4);
      bytes.writeUInt32LE(state.real);
      writeSync(state.memory.file, bytes, 0, 4, state.memory.address);
    }
  };
  const onExit = (): void => {
    state.close();
    restore();
  };
  let reason = 'it was stopped';
  worker.on('error', (error) => {
    reason = String(error);
  });
  worker.on('exit', () => {
    process.off('exit', onExit);
    restore();
    Reflect.deleteProperty(globalThis, KEY);
    const channel = new BroadcastChannel(NAME);
    channel.postMessage({ to: 'threads', gone: reason } satisfies ToThreads);
    channel.close();
  });
  // Before the listeners of the application: one of them may throw, or call process.exit(), and end the row.
  process.prependListener('exit', onExit);
  worker.unref();
}
