import { Worker } from 'node:worker_threads';
import type { Startup, ToWorker, WatchNews } from '../shared/messages.js';
import { SOURCE } from '../worker/source.js';

/** Megabytes: it keeps nothing, and a small heap is one that the application does not notice. */
const HEAP = { maxYoungGenerationSizeMb: 1, maxOldGenerationSizeMb: 32 };

/** What the monitor hears of its Worker. */
export interface CanaryEvents {
  onNews(news: WatchNews): void;
  /** It has ended although nobody stopped it. */
  onLost(reason: unknown): void;
}

/**
 * The thread that canaries come from. A callback of the main thread waits for the event loop of the application, and that wait
 * is none of the pool's; this loop has nothing else to do.
 */
export class CanaryThread {
  readonly #worker: Worker;

  constructor(startup: Startup, events: CanaryEvents) {
    this.#worker = new Worker(SOURCE, {
      eval: true,
      name: 'plimsoll-monitor',
      // What the application preloads is not for this thread, and would load this package in it again.
      execArgv: [],
      env: {},
      resourceLimits: HEAP,
      workerData: startup,
    });
    this.#worker.on('message', (news: WatchNews) => events.onNews(news));
    this.#worker.on('error', (error) => events.onLost(error));
    // After the listeners, which take references of their own.
    this.#worker.unref();
  }

  post(message: ToWorker): void {
    this.#worker.postMessage(message);
  }

  stop(): void {
    this.#worker.removeAllListeners('message');
    void this.#worker.terminate();
  }
}
