export type { Connection } from './connection.js';
export { createTasks, type TasksOptions } from './create-tasks.js';
export { FleetError, type FleetErrorCode } from './errors.js';
export {
  createFleet,
  Fleet,
  type FleetCloseOptions,
  type FleetHistogram,
  type FleetJob,
  type FleetStats,
} from './fleet.js';
export { createFleetWorker, FleetWorker, type FleetWorkerCloseOptions } from './fleet-worker.js';
export type { Health } from './health.js';
export { LocalTasks } from './local-tasks.js';
export type {
  FleetMapOptions,
  FleetOptions,
  FleetProxyOptions,
  FleetRunOptions,
  FleetWorkerOptions,
  KeepOptions,
  QueueOptions,
} from './options.js';
export type { WorkerEntry } from './registry.js';
export type { Tasks } from './tasks.js';
export { workerCommand } from './worker-command.js';
