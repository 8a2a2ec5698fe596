// What one writes without @plimsoll/bullmq: JSON, and so bytes as Base64.
import { type Job, Queue, QueueEvents } from 'bullmq';
import { Redis } from 'ioredis';
import { KEEP } from './keep.js';

interface Data {
  readonly value?: number;
  readonly bytes?: string;
}

const dataOf = (value: unknown): Data =>
  value instanceof Uint8Array ? { bytes: Buffer.from(value).toString('base64') } : { value: value as number };
const sentOf = ({ value, bytes }: Data): unknown =>
  bytes === undefined ? value : new Uint8Array(Buffer.from(bytes, 'base64'));

/** The processor: runs in the worker process itself. */
export const byHand = async (job: Job<Data>): Promise<Data> => dataOf(sentOf(job.data));

/** The other side. */
export async function openByHand(name: string, url: string): Promise<(value: unknown) => Promise<unknown>> {
  const open = (): Redis => new Redis(url, { maxRetriesPerRequest: null });
  const queue = new Queue(name, { connection: open() });
  // From the first event on: what ends before the first look for events would be waited for for ever.
  const events = new QueueEvents(name, { connection: open(), lastEventId: '0-0' });
  // Each job that is waited for has a listener on both.
  events.setMaxListeners(0);
  queue.setMaxListeners(0);
  await events.waitUntilReady();
  const options = { removeOnComplete: KEEP, removeOnFail: KEEP };
  return async (value) => {
    const job = await queue.add('echo', dataOf(value), options);
    return sentOf((await job.waitUntilFinished(events)) as Data);
  };
}
