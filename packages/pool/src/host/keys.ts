import type { Key } from './task.js';
import { takesTasks, type WorkerHandle } from './worker-handle.js';

/**
 * Keys share so many places, so that a million of them need no more memory than one. Two of the same place have the same worker,
 * which is a loss only when there are about as many workers.
 */
const PLACES = 2 ** 14;

/** Which worker runs the tasks of a key: always the same, as long as it lives. */
export class Keys {
  readonly #places = new Map<number, WorkerHandle>();

  workerOf(key: Key): WorkerHandle | undefined {
    const known = this.#places.get(placeOf(key));
    return known !== undefined && takesTasks(known) ? known : undefined;
  }

  assign(key: Key, worker: WorkerHandle): void {
    this.#places.set(placeOf(key), worker);
    worker.keys++;
  }

  /** A worker is gone: nothing of it is kept. */
  forget(worker: WorkerHandle): void {
    if (worker.keys === 0) return;
    for (const [place, known] of this.#places) if (known === worker) this.#places.delete(place);
  }
}

/** By FNV-1a. A number is another key than its text. */
function placeOf(key: Key): number {
  const text = typeof key === 'number' ? `#${key}` : `"${key}`;
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  return (hash ^ (hash >>> 16)) & (PLACES - 1);
}
