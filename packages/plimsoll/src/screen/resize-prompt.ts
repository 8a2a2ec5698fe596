import { PlimsollError } from '../errors.js';
import { LARGEST_POOL_SIZE } from '../libuv/pool-size.js';

const [ENTER, ESCAPE, BACKSPACE, DELETE] = ['\r', '\u001b', '\u007f', '\b'];
const LONGEST = 16;

/** What the keys have come to: still typing, given up, wrong, or a process and its new size. */
export type Entry =
  | { readonly is: 'open' | 'cancelled' }
  | { readonly is: 'wrong'; readonly complaint: string }
  | { readonly is: 'entered'; readonly pid: number; readonly size: number };

/** Asks in the screen of `top` which process is to get how many threads. */
export class ResizePrompt {
  #text: string;

  /** @param pids the processes on the screen: with one alone there is no question which. */
  constructor(pids: readonly number[]) {
    this.#text = pids.length === 1 ? `${pids[0]} ` : '';
  }

  get line(): string {
    return `resize: PID and threads: ${this.#text}▏  Enter does it, Esc leaves`;
  }

  type(key: string): Entry {
    // Ctrl-C comes as `q`.
    if (key === ESCAPE || key === 'q') return { is: 'cancelled' };
    if (key === ENTER || key === '\n') return this.#entry();
    if (key === BACKSPACE || key === DELETE) this.#text = this.#text.slice(0, -1);
    else if (/^[\d ]$/.test(key) && this.#text.length < LONGEST) this.#text += key;
    return { is: 'open' };
  }

  #entry(): Entry {
    const [, pid, size] = /^\s*(\d+)\s+(\d+)\s*$/.exec(this.#text) ?? [];
    const [id, threads] = [Number(pid), Number(size)];
    return pid !== undefined && id > 0 && threads >= 1 && threads <= LARGEST_POOL_SIZE
      ? { is: 'entered', pid: id, size: threads }
      : {
          is: 'wrong',
          complaint: `a PID and a number of threads from 1 to ${LARGEST_POOL_SIZE} are needed, such as 4711 12, not ${JSON.stringify(this.#text.trim())}`,
        };
  }
}

/** An error of a resize on the screen. */
export const complaintOf = (error: unknown): string => {
  if (error instanceof PlimsollError) return error.message;
  throw error;
};
