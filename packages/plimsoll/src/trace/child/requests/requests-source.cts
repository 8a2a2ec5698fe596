import type { ProblemLine, RecordedLine, SignalSource } from '../lines.cjs';

import table = require('./table.cjs');

/** Hands out the requests of the app's first thread, from the memory in which that writes them. */
class RequestsSource implements SignalSource {
  readonly #reader: InstanceType<typeof table.RequestReader>;
  #emit: (line: RecordedLine) => void = () => {};

  constructor(memory: SharedArrayBuffer) {
    // The first thread has the id of its process.
    this.#reader = new table.RequestReader(new table.RequestTable(memory), process.pid);
  }

  async start(emit: (line: RecordedLine) => void): Promise<ProblemLine | null> {
    this.#emit = emit;
    return null;
  }

  tick(): void {
    const line = this.#reader.read();
    if (line !== null) this.#emit(line);
  }

  async stop(): Promise<void> {
    this.tick();
  }
}

export = RequestsSource;
