import type { Readable } from 'node:stream';
import type { AnyPool } from '../common/pools.js';

/** How many records may wait, in the two modes that set a limit. */
export const LIMIT = 16;

/** Reads all records and has each processed. `submitted` is called after every submission. */
export type Mode = (records: Readable, pool: AnyPool, submitted: () => void) => Promise<void>;

/** Every record becomes a task at once, however many wait. */
export const unbounded: Mode = async (records, pool, submitted) => {
  const tasks: Promise<unknown>[] = [];
  for await (const record of records) {
    tasks.push(pool.run(record));
    submitted();
  }
  await Promise.all(tasks);
};

/** The article's way: pause when the queue is full, go on when the pool says that it has drained. */
export const pausing: Mode = (records, pool, submitted) =>
  new Promise((resolve, reject) => {
    let left = 1;
    const done = (): void => {
      if (--left === 0) resolve();
    };
    pool.on('drain', () => {
      if (records.isPaused()) records.resume();
    });
    records.on('data', (record: unknown) => {
      left++;
      pool.run(record).then(done, reject);
      submitted();
      if (pool.queueSize >= LIMIT) records.pause();
    });
    records.once('error', reject);
    records.once('end', done);
  });

/** At most so many tasks at a time: the next record is taken when one of them is done. */
export const windowed: Mode = async (records, pool, submitted) => {
  const window = new Set<Promise<unknown>>();
  for await (const record of records) {
    const task: Promise<unknown> = pool.run(record).finally(() => window.delete(task));
    window.add(task);
    submitted();
    if (window.size >= LIMIT) await Promise.race(window);
  }
  await Promise.all(window);
};
