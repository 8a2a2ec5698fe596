import { writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import process from 'node:process';
import { BroadcastChannel, Worker } from 'node:worker_threads';
import type { ToThreads } from './messages.js';
import { EngineState, NAME } from './state.js';

const HEAP = { maxYoungGenerationSizeMb: 1, maxOldGenerationSizeMb: 64 };
const KEY = Symbol.for(NAME);

/** `workerData` of the engine's thread. */
export interface EngineStartup {
  readonly buffer: SharedArrayBuffer;
  readonly tmp: string;
  /** The main thread's permissions: Node does not enforce `--permission` in Workers without the flag. */
  readonly may: { readonly ffi: boolean; readonly fifo: boolean; readonly memory: boolean };
}

const may = (scope: string, path?: string): boolean => process.permission?.has(scope, path) ?? true;

/** The engine's state, stored on `process`, which all `node:vm` contexts (test runners) share. */
export const mainThreadState = (): EngineState | undefined => {
  const buffer = Reflect.get(process, KEY) as SharedArrayBuffer | undefined;
  return buffer && new EngineState(buffer);
};

/**
 * Starts the resizing thread, once per process, for all copies of this package. Call it in the main thread,
 * which ends last: libuv then joins `nthreads` threads, so the true number must be back by then.
 */
export function startEngine(source: string): void {
  if (Reflect.has(process, KEY)) return;
  const state = new EngineState();
  const tmp = tmpdir();
  const worker = new Worker(source, {
    eval: true,
    name: 'plimsoll-resize',
    // The application's preloaded modules must not run in this thread.
    execArgv: [],
    env: {},
    resourceLimits: HEAP,
    // When Node closes a descriptor that a thread left open, its number may belong to another file.
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
    restoreThreadCount(state);
  });
  let reason = 'it was terminated';
  worker.on('error', (error) => {
    reason = String(error);
  });
  worker.on('exit', () => {
    forgetExit();
    restoreThreadCount(state);
    Reflect.deleteProperty(process, KEY);
    const channel = new BroadcastChannel(NAME);
    channel.postMessage({ to: 'threads', gone: reason } satisfies ToThreads);
    channel.close();
  });
  worker.unref();
}

function restoreThreadCount({ memory, real }: EngineState): void {
  if (memory === undefined) return;
  writeSync(memory.file, new Uint32Array([real]), 0, 4, memory.address);
}

/**
 * Calls back before the process ends. A listener is not enough: another may throw or call `process.exit()`,
 * some code may remove it, and `process.reallyExit()` calls none. With the wrong `nthreads`, half of such
 * exits abort.
 *
 * @returns a function that undoes it
 */
function beforeExit(work: () => void): () => void {
  const { emit, reallyExit } = process as NodeJS.Process & { reallyExit(code?: number): never };
  const wrapped = {
    emit(this: unknown, event: unknown, ...values: unknown[]): unknown {
      if (event === 'exit') work();
      return Reflect.apply(emit, this, [event, ...values]);
    },
    reallyExit(this: unknown, ...values: unknown[]): unknown {
      work();
      return Reflect.apply(reallyExit, this, values);
    },
  };
  Object.assign(process, wrapped);
  process.prependListener('exit', work);
  return () => {
    process.off('exit', work);
    if (Reflect.get(process, 'emit') === wrapped.emit) process.emit = emit;
    if (Reflect.get(process, 'reallyExit') === wrapped.reallyExit) Object.assign(process, { reallyExit });
  };
}
