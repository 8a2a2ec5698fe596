import type { ProblemLine, RecordedLine, SignalSource } from '../lines.cjs';

import reader = require('./reader.cjs');
import CallRing = require('./ring.cjs');

/** Hands out the calls of the app's first thread, from the memory in which that writes them. */
class CallsSource implements SignalSource {
  readonly #ring: CallRing;
  readonly #read: ReturnType<typeof reader>;
  #emit: (line: RecordedLine) => void = () => {};

  constructor(memory: SharedArrayBuffer) {
    this.#ring = new CallRing(memory);
    // The first thread has the id of its process.
    this.#read = reader(this.#ring, process.pid);
  }

  async start(emit: (line: RecordedLine) => void): Promise<ProblemLine | null> {
    this.#emit = emit;
    return null;
  }

  tick(): void {
    const line = this.#read();
    if (line !== null) this.#emit(line);
  }

  async stop(): Promise<void> {
    this.tick();
    this.#ring.close();
  }
}

export = CallsSource;
