import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { PoolEvent } from '../../libuv/job.js';

/**
 * Collects Node's trace events about the pool without touching it: over the inspector, from a Worker. The trace file writer
 * would not do: it writes with asynchronous fs, on the very pool, and loses events when that is full.
 *
 * Works on Node 20, 22, 24 and 26. On all of them `tracingComplete` comes before the data, so the Worker waits until
 * nothing has come for a while. In official builds of Node with V8's Perfetto the inspector traces nothing.
 */
const COLLECTOR = `
const { Session } = require('node:inspector');
const { parentPort, workerData } = require('node:worker_threads');
const events = [];
const session = new Session();
session.connectToMainThread();
let last = 0;
session.on('NodeTracing.dataCollected', ({ params }) => {
  last = performance.now();
  for (const { ph, name, cat, tid, ts, tts, id, args } of params.value)
    if (ph !== 'M') events.push({ ph, name, cat, tid, ts, tts, id, args });
});
const settled = () => {
  if (performance.now() - last < workerData.quietMs) return setTimeout(settled, workerData.quietMs / 4);
  session.disconnect();
  parentPort.postMessage(events);
};
// Not once(): without a listener nothing keeps this Worker alive, and it would end before the events come.
parentPort.on('message', () => session.post('NodeTracing.stop', () => { last = performance.now(); settled(); }));
session.post('NodeTracing.start', { traceConfig: { includedCategories: workerData.categories } }, (error) =>
  parentPort.postMessage(error === null ? 'tracing' : String(error.message)));
`;

const CATEGORIES = [
  'node.threadpoolwork.sync',
  'node.threadpoolwork.async',
  'node.fs.async',
  'node.fs_dir.async',
  'node.dns.native',
];
const QUIET_MS = 60;

/** A recording of this process; it sees the pool's work of all threads, Workers included. */
export class PoolEvents {
  readonly #worker: Worker;

  private constructor(worker: Worker) {
    this.#worker = worker;
  }

  /** Start recording; resolves when everything from now on is seen. */
  static async start(): Promise<PoolEvents> {
    const workerData = { categories: CATEGORIES, quietMs: QUIET_MS };
    const worker = new Worker(COLLECTOR, { eval: true, workerData });
    const [answer] = await once(worker, 'message');
    if (answer !== 'tracing') throw new Error(`Node cannot trace its pool here: ${answer}`);
    return new PoolEvents(worker);
  }

  /** Stop recording; what was recorded, in the order of its time. */
  async stop(): Promise<PoolEvent[]> {
    const events = once(this.#worker, 'message');
    this.#worker.postMessage('stop');
    const [recorded] = (await events) as [PoolEvent[]];
    await this.#worker.terminate();
    return recorded.sort((a, b) => a.ts - b.ts);
  }
}
