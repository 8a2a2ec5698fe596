// Functions that are bound to one worker each.
import { ThreadWorker } from 'poolifier';
import { holdAll, markEach, markKey } from '../tasks.js';

const each = [0, 1, 2].map((worker) => [
  `worker${worker}`,
  { taskFunction: markEach, workerNodeKeys: [worker] },
]);
const holds = [0, 1, 2].map((worker) => [
  `hold${worker}`,
  { taskFunction: holdAll, workerNodeKeys: [worker] },
]);
const keys = ['red', 'green', 'blue', 'black'].map((key, index) => [
  key,
  { taskFunction: () => markKey({ key }), workerNodeKeys: [index % 3] },
]);

export default new ThreadWorker(Object.fromEntries([...each, ...holds, ...keys]));
