import type { WorkerHandle } from './worker-handle.js';

/** What tasks that belong together have in common. */
export type Key = string | number;

/**
 * Keys share so many places, so that a million of them need no more memory than one. Two of the same place have the same worker,
 * which is a loss only when there are about as many workers.
 */
const PLACES = 2 ** 14;

/** Does it take tasks? */
export const takesTasks = (worker: WorkerHandle): boolean =>
  !worker.leaving && !worker.retiring && !worker.hasExited;

/** Which worker runs the tasks of a key: always the same, as long as it lives. */
export class Keys {
  readonly #places: (WorkerHandle | undefined)[] = [];
  readonly #workers: readonly WorkerHandle[];

  constructor(workers: readonly WorkerHandle[]) {
    this.#workers = workers;
  }

  /**
   * undefined: there is no worker.
   * @param loadOf how much a worker has to do already
   */
  workerOf(key: Key, loadOf: (worker: WorkerHandle) => number): WorkerHandle | undefined {
    const place = placeOf(key);
    const known = this.#places[place];
    if (known !== undefined && takesTasks(known)) return known;
    const chosen = leastOf(this.#workers.filter(takesTasks), loadOf);
    this.#places[place] = chosen;
    return chosen;
  }
}

/** Of those with the least to do, the one with the fewest tasks so far: the first keys of a pool that idles are spread. */
function leastOf(
  workers: WorkerHandle[],
  loadOf: (worker: WorkerHandle) => number,
): WorkerHandle | undefined {
  const rankOf = (worker: WorkerHandle): readonly [number, number] => [loadOf(worker), worker.keys];
  workers.sort((one, other) => {
    const [load, keys] = rankOf(one);
    const [otherLoad, otherKeys] = rankOf(other);
    return load - otherLoad || keys - otherKeys;
  });
  const [least] = workers;
  if (least !== undefined) least.keys++;
  return least;
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
