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
    this.#read(false);
  }

  async stop(): Promise<void> {
    this.#read(true);
  }

  #read(isLast: boolean): void {
    const line = this.#reader.read(isLast);
    if (line !== null) this.#emit(line);
  }
}

export = RequestsSource;
