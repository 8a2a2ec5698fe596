import { type Transferable, Worker } from 'node:worker_threads';
import { type OpenPool, type Setup, taskUrl } from './contender.js';
import type { Reply, Request } from './workers/bare.js';

interface Pending {
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

/**
 * What one writes without a library: tasks go to the workers in turn, with an id by which the answer finds its promise.
 * It keeps what anyone needs (errors reject, a dead worker rejects what it had) and nothing else.
 */
export function open({ task, threads }: Setup): OpenPool {
  const seats = Array.from({ length: threads }, () => new Seat(taskUrl(task, 'bare')));
  let turn = 0;
  return {
    run(value, transfer) {
      const seat = seats[turn] as Seat;
      turn = (turn + 1) % threads;
      return seat.run(value, transfer);
    },
  };
}

class Seat {
  readonly worker: Worker;
  readonly #pending = new Map<number, Pending>();
  #lastId = 0;

  constructor(task: URL) {
    this.worker = new Worker(new URL('./workers/bare.js', import.meta.url), { workerData: task.href });
    this.worker.on('message', (reply: Reply) => {
      const pending = this.#pending.get(reply.id);
      this.#pending.delete(reply.id);
      if (reply.failed) pending?.reject(reply.result);
      else pending?.resolve(reply.result);
    });
    this.worker.on('error', (error) => this.#rejectAll(error));
    this.worker.on('exit', (code) => this.#rejectAll(new Error(`the worker exited with code ${code}`)));
  }

  run(value: unknown, transfer?: readonly Transferable[]): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const id = ++this.#lastId;
      this.#pending.set(id, { resolve, reject });
      this.worker.postMessage({ id, value } satisfies Request, transfer);
    });
  }

  #rejectAll(error: unknown): void {
    for (const { reject } of this.#pending.values()) reject(error);
    this.#pending.clear();
  }
}
