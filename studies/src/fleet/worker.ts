// A worker process, forked by `program.ts`: of a fleet, or of BullMQ as it is used by hand. It tells the CPU time that it has used.
// Arguments: kind, queue, connection.
import { createFleetWorker } from '@plimsoll/bullmq';
import { Worker } from 'bullmq';
import { Redis } from 'ioredis';
import { byHand } from './by-hand.js';

const [kind, queue = '', url = ''] = process.argv.slice(2);

async function open(): Promise<void> {
  if (kind === 'fleet') {
    const filename = new URL('./tasks.js', import.meta.url);
    await createFleetWorker({ queue, connection: url, filename, threads: 1 }).ready();
    return;
  }
  const connection = new Redis(url, { maxRetriesPerRequest: null });
  await new Worker(queue, byHand, { connection }).waitUntilReady();
}

process.once('disconnect', () => process.exit());
process.on('message', () => {
  const { user, system } = process.cpuUsage();
  process.send?.((user + system) / 1e6);
});
await open();
process.send?.('ready');
