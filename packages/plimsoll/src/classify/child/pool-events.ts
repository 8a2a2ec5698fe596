import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { PoolEvent } from '../../libuv/job.js';

/** Record the pool's work of this process, Workers included, from now on. @returns what ends it and gives the events in order. */
export async function recordPool(): Promise<() => Promise<PoolEvent[]>> {
  const worker = new Worker(new URL('./collector.cjs', import.meta.url));
  const [answer] = await once(worker, 'message');
  if (answer !== 'tracing') throw new Error(`Node cannot trace its pool here: ${answer}`);
  return async () => {
    const events = once(worker, 'message');
    worker.postMessage('stop');
    const [recorded] = (await events) as [PoolEvent[]];
    await worker.terminate();
    return recorded.sort((a, b) => a.ts - b.ts);
  };
}
