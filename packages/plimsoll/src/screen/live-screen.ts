import type { ReadStream, WriteStream } from 'node:tty';

const ESC = '\u001b[';
const ENTER = `${ESC}?1049h${ESC}?25l`;
const LEAVE = `${ESC}?25h${ESC}?1049l`;
const CTRL_C = '\u0003';

/** The whole terminal as a screen that is drawn anew, and its keys. What stood there comes back at the end. */
export class LiveScreen {
  readonly #input: ReadStream;
  readonly #output: WriteStream;
  readonly #onData: (text: string) => void;

  /** @param onKey told each key; `q` for Ctrl-C, too. */
  constructor(input: ReadStream, output: WriteStream, onKey: (key: string) => void) {
    this.#input = input;
    this.#output = output;
    this.#onData = (text) => {
      for (const key of String(text)) onKey(key === CTRL_C ? 'q' : key);
    };
    input.setRawMode(true);
    input.setEncoding('utf8');
    input.on('data', this.#onData);
    input.resume();
    output.write(ENTER);
  }

  /** Lines beyond the height are cut. */
  draw(lines: readonly string[]): void {
    const shown = lines.slice(0, Math.max(1, this.#output.rows - 1));
    this.#output.write(`${ESC}H${shown.map((line) => `${line}${ESC}K`).join('\n')}${ESC}J`);
  }

  close(): void {
    this.#input.off('data', this.#onData);
    this.#input.setRawMode(false);
    this.#input.pause();
    this.#output.write(LEAVE);
  }
}
