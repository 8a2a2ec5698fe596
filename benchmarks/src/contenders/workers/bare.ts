import { parentPort, type Transferable, workerData } from 'node:worker_threads';
import { Transferring } from './transferring.js';

export interface Request {
  readonly id: number;
  readonly value: unknown;
}

export interface Reply {
  readonly id: number;
  readonly failed: boolean;
  readonly result: unknown;
}

const { default: run } = await import(workerData as string);

const reply = (message: Reply, transfer: readonly Transferable[] = []): void =>
  parentPort?.postMessage(message, transfer);

parentPort?.on('message', async ({ id, value }: Request) => {
  try {
    const result = await run(value);
    if (result instanceof Transferring) reply({ id, failed: false, result: result.value }, result.transfer);
    else reply({ id, failed: false, result });
  } catch (error) {
    reply({ id, failed: true, result: error });
  }
});
