import { workerData } from 'node:worker_threads';
import { worker } from 'workerpool';

const { default: run } = await import(workerData as string);
worker({ run });
