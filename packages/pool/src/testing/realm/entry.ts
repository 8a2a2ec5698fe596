import type { Startup } from '../../shared/messages.js';
import type { FakeThread } from '../fake-thread.js';
import { WorkerInProcess } from './worker-in-process.js';

export { Pool } from '../../pool.js';
export { enter } from './here.js';

export const workerFor = (thread: FakeThread, startup: Startup): WorkerInProcess =>
  new WorkerInProcess(thread, startup);
