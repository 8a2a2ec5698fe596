import { EventEmitter } from 'node:events';
import type { Startup } from '../shared/messages.js';
import type { Death } from './faults.js';

/** The exit code of a thread that somebody has ended. */
const TERMINATED = 1;

/** A worker as the simulation drives it. */
export interface WorkerInProcess {
  /** Loads the pool's file and reports that it is ready. */
  start(): Promise<void>;
  /** Claims a task and calls its function, whose name it gives. Undefined: there is none that it may take. */
  take(): string | undefined;
  close(): void;
}

interface Makers {
  workerFor(thread: FakeThread, startup: Startup): WorkerInProcess;
  threadExited(thread: FakeThread): void;
}

/** What the pool takes for a `Worker` of Node: a worker on this thread, which does only what the simulation makes it do. */
export class FakeThread extends EventEmitter {
  readonly threadId: number;
  /** Neither it nor its worker does anything any more. */
  isDead = false;
  isReady = false;
  worker: WorkerInProcess | undefined;
  readonly #makers: Makers;
  #exited: Promise<number> | undefined;

  constructor(threadId: number, makers: Makers) {
    super();
    this.#makers = makers;
    this.threadId = threadId;
  }

  /** Gets what a real thread would get as its first message. Nothing else is posted to it. */
  postMessage(startup: Startup): void {
    this.worker ??= this.#makers.workerFor(this, startup);
  }

  terminate(): Promise<number> {
    return this.die({ exitCode: TERMINATED });
  }

  /** It does nothing from now on, and soon the host hears of its end. */
  die({ failure, exitCode }: Death): Promise<number> {
    if (this.#exited !== undefined) return this.#exited;
    this.isDead = true;
    this.#exited = Promise.resolve().then(() => {
      this.worker?.close();
      if (failure !== undefined) this.emit('error', failure.error);
      this.#makers.threadExited(this);
      this.emit('exit', exitCode);
      return exitCode;
    });
    return this.#exited;
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }
}
