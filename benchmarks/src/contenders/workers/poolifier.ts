import { workerData } from 'node:worker_threads';
import { ThreadWorker } from 'poolifier';

const { default: run } = await import(workerData as string);
export default new ThreadWorker<unknown, unknown>(run);
