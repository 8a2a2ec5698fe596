import type { WriteStream } from 'node:tty';
import type { BenchProgress } from '../bench/options.js';
import { progressText } from '../report/progress.js';

/** One live line on a terminal; elsewhere a plain line whenever a workload's block is done. */
export class ProgressLine {
  readonly #stream: WriteStream;
  readonly #quiet: boolean;
  #shown = false;
  #last = '';

  constructor(stream: WriteStream, quiet: boolean) {
    this.#stream = stream;
    this.#quiet = quiet;
  }

  show(progress: BenchProgress): void {
    if (this.#quiet) return;
    if (this.#stream.isTTY) {
      this.#stream.write(`\r\x1b[2K${progressText(progress, this.#stream.columns ?? 80)}`);
      this.#shown = true;
      return;
    }
    const step = `${progress.workload} ${progress.stage} ${progress.block}`;
    if (step === this.#last) return;
    this.#last = step;
    this.#stream.write(`${progressText(progress, 74)}\n`);
  }

  clear(): void {
    if (this.#shown) this.#stream.write('\r\x1b[2K');
    this.#shown = false;
  }
}
