import inspector = require('node:inspector');

import type { PoolEvent } from '../../libuv/job.js' with { 'resolution-mode': 'import' };

import CATEGORIES = require('./trace-categories.cjs');

const CONFIG = { traceConfig: { includedCategories: Object.values(CATEGORIES) } };

/** Trace events of all threads over the inspector, from a Worker: Node's writer of trace files would use the pool itself. */
class TraceSession {
  readonly #session = new inspector.Session();

  constructor(take: (events: readonly PoolEvent[]) => void) {
    this.#session.connectToMainThread();
    this.#session.on('NodeTracing.dataCollected', (message: unknown) =>
      take((message as { params: { value: readonly PoolEvent[] } }).params.value),
    );
  }

  start(): Promise<void> {
    return this.#post('NodeTracing.start', CONFIG);
  }

  stop(): Promise<void> {
    return this.#post('NodeTracing.stop');
  }

  /** Resolves when every event has been taken. */
  async end(): Promise<void> {
    await this.stop();
    // Node reports completion before it sends the data, but answers a second request after the data.
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
