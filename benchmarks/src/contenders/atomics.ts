import { Worker } from 'node:worker_threads';
import { CannotDo } from '../blocks/outcome.js';
import { type OpenPool, type Setup, taskUrl } from './contender.js';
import { DONE, REQUEST, VALUE } from './workers/atomics.js';

/** Not in the types of the oldest language version that is supported. */
const { waitAsync } = Atomics as unknown as {
  waitAsync(words: Int32Array, word: number, value: number): { value: unknown };
};

/**
 * No pool, but the least that two threads need that both sleep: a word that wakes the worker, a word that wakes the
 * host, and a number that is handed over. A pool whose worker spins before it sleeps may take less.
 */
export function open({ task }: Setup): OpenPool {
  if (task !== 'busy') throw new CannotDo('it hands over one number');
  const words = new Int32Array(new SharedArrayBuffer(12));
  new Worker(new URL('./workers/atomics.js', import.meta.url), {
    workerData: { words, task: taskUrl(task, 'atomics').href },
  });
  // Node keeps no event loop alive for `waitAsync`.
  setInterval(() => {}, 0x7fffffff);
  return {
    async run(value) {
      words[VALUE] = value as number;
      Atomics.add(words, REQUEST, 1);
      Atomics.notify(words, REQUEST);
      const before = (words[REQUEST] as number) - 1;
      await waitAsync(words, DONE, before).value;
      return words[VALUE];
    },
  };
}
