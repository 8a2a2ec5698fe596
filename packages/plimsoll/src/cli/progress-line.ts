import type { WriteStream } from 'node:tty';

export class ProgressLine {
  readonly #stream: WriteStream;
  readonly #quiet: boolean;
  #shown = false;
  #last = '';

  constructor(stream: WriteStream, quiet: boolean) {
    this.#stream = stream;
    this.#quiet = quiet;
  }

  /** @param step changes when a line is due elsewhere. @param text what to say in less than `width` columns. */
  show(step: string, text: (width: number) => string): void {
    if (this.#quiet) return;
    if (this.#stream.isTTY) {
      this.#stream.write(`\r\x1b[2K${text(this.#stream.columns ?? 80)}`);
      this.#shown = true;
      return;
    }
    if (step === this.#last) return;
    this.#last = step;
    this.#stream.write(`${text(74)}\n`);
  }

  clear(): void {
    if (this.#shown) this.#stream.write('\r\x1b[2K');
    this.#shown = false;
  }
}
