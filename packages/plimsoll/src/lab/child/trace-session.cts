import inspector = require('node:inspector');

import type { TraceEvent } from './trace-event.cjs';

import CATEGORIES = require('./trace-categories.cjs');

const CONFIG = { traceConfig: { includedCategories: Object.values(CATEGORIES) } };

/**
 * Trace events over the inspector, from a Worker: they arrive as objects, of all threads, and Node's writer of trace files, which
 * uses the very pool, writes none. In official builds of Node with V8's Perfetto the inspector traces nothing.
 */
class TraceSession {
  readonly #session = new inspector.Session();

  constructor(take: (events: readonly TraceEvent[]) => void) {
    this.#session.connectToMainThread();
    this.#session.on('NodeTracing.dataCollected', (message: unknown) =>
      take((message as { params: { value: readonly TraceEvent[] } }).params.value),
    );
  }

  start(): Promise<void> {
    return this.#post('NodeTracing.start', CONFIG);
  }

  stop(): Promise<void> {
    return this.#post('NodeTracing.stop');
  }

  /** Resolves when all that it saw has been taken. */
  async end(): Promise<void> {
    await this.stop();
    // That it is complete is told before the data comes, on every version; a second question is answered after it.
    await this.#post('NodeTracing.getCategories');
    this.disconnect();
  }

  disconnect(): void {
    this.#session.disconnect();
  }

  #post(method: string, params: object = {}): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#session.post(method, params, (error: Error | null) => (error ? reject(error) : resolve()));
    });
  }
}

export = TraceSession;
