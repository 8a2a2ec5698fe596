import { now } from '../shared/clock.js';
import { HEAP } from '../shared/messages.js';
import type { Channel } from './channel.js';
import type { Recorder } from './recorder.js';

const MEGABYTE = 2 ** 20;
/** Milliseconds between two looks at the heap, each of which takes some microseconds. */
const INTERVAL = 5;

/** Tells the host once when this worker's heap is larger than it shall be after a task. */
export class HeapWatch implements Recorder {
  readonly #most: number;
  readonly #channel: Channel;
  readonly #statistics = process.getBuiltinModule('node:v8').getHeapStatistics;
  #nextLook = 0;
  #told = false;

  constructor(megabytes: number, channel: Channel) {
    this.#most = megabytes * MEGABYTE;
    this.#channel = channel;
  }

  start(): void {}

  end(): void {
    if (this.#told) return;
    const time = now();
    if (time < this.#nextLook) return;
    this.#nextLook = time + INTERVAL;
    const used = this.#statistics().used_heap_size;
    if (used <= this.#most) return;
    this.#told = true;
    this.#channel.post([HEAP, used]);
  }
}
