import { writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import process from 'node:process';
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
  /** What `--permission` leaves: Node holds a Worker without that flag to nothing. */
  readonly may: { readonly ffi: boolean; readonly fifo: boolean; readonly memory: boolean };
}

const may = (scope: string, path?: string): boolean => process.permission?.has(scope, path) ?? true;

/** The state of this main thread's engine. The process keeps it, which is the same in all contexts of `node:vm` (test runners). */
export const stateAtHome = (): EngineState | undefined => {
  const buffer = Reflect.get(process, KEY) as SharedArrayBuffer | undefined;
  return buffer && new EngineState(buffer);
};

/**
 * Starts the thread that resizes the pool, once for a process, whichever copy of this package is first. To be called in the main
 * thread, whose end is that of the process: then libuv joins as many threads as its variable says, so the true number goes back.
 */
export function startEngine(source: string): void {
  if (Reflect.has(process, KEY)) return;
  const state = new EngineState();
  const tmp = tmpdir();
  const worker = new Worker(source, {
    eval: true,
    name: 'plimsoll-resize',
    // What the application preloads is not for this thread.
    execArgv: [],
    env: {},
    resourceLimits: HEAP,
    // A number may be another file's by the time that Node closes what a thread left open.
    trackUnmanagedFds: false,
    workerData: {
      ...{ buffer: state.buffer, tmp },
      may: {
        ffi: may('ffi') && may('fs.read', '/proc/self/exe'),
        fifo: may('child') && may('fs.write', tmp),
        memory: may('fs.write', '/proc/self/mem'),
      },
    } satisfies EngineStartup,
  });
  Reflect.defineProperty(process, KEY, { value: state.buffer, configurable: true });
  const forgetExit = beforeExit(() => {
    state.close();
    restore(state);
  });
  let reason = 'it was stopped';
  worker.on('error', (error) => {
    reason = String(error);
  });
  worker.on('exit', () => {
    forgetExit();
    restore(state);
    Reflect.deleteProperty(process, KEY);
    const channel = new BroadcastChannel(NAME);
    channel.postMessage({ to: 'threads', gone: reason } satisfies ToThreads);
    channel.close();
  });
  worker.unref();
}

/** Puts libuv's `nthreads` back. */
function restore({ memory, real }: EngineState): void {
  if (memory === undefined) return;
  writeSync(memory.file, new Uint32Array([real]), 0, 4, memory.address);
}

/**
 * Calls back before the process ends: a listener that throws or calls `process.exit()` is the last one, `removeAllListeners()` takes
 * ours away, and `process.reallyExit()` calls none. With the wrong `nthreads` libuv would abort in half of such exits.
 *
 * @returns what undoes it
 */
function beforeExit(work: () => void): () => void {
  const { emit, reallyExit } = process as NodeJS.Process & { reallyExit(code?: number): never };
  const own = {
    emit(this: unknown, event: unknown, ...values: unknown[]): unknown {
      if (event === 'exit') work();
      return Reflect.apply(emit, this, [event, ...values]);
    },
    reallyExit(this: unknown, ...values: unknown[]): unknown {
      work();
      return Reflect.apply(reallyExit, this, values);
    },
  };
  Object.assign(process, own);
  process.prependListener('exit', work);
  return () => {
    process.off('exit', work);
    if (Reflect.get(process, 'emit') === own.emit) process.emit = emit;
    if (Reflect.get(process, 'reallyExit') === own.reallyExit) Object.assign(process, { reallyExit });
  };
}
