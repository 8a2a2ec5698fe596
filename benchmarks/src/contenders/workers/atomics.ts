import { isMainThread, workerData } from 'node:worker_threads';

/** How many requests there were. */
export const REQUEST = 0;
/** How many of them are done. */
export const DONE = 1;
export const VALUE = 2;

if (!isMainThread) {
  const { words, task } = workerData as { words: Int32Array; task: string };
  const { default: run } = (await import(task)) as { default(value: number): number };
  for (let request = 0; ; request++) {
    Atomics.wait(words, REQUEST, request);
    words[VALUE] = run(words[VALUE] as number);
    Atomics.store(words, DONE, request + 1);
    Atomics.notify(words, DONE);
  }
}
