export { createTasks, type TasksOptions } from './create-tasks.js';
export { FleetError, type FleetErrorCode } from './errors.js';
export {
  createFleet,
  Fleet,
  type FleetCloseOptions,
  type FleetHistogram,
  type FleetStats,
} from './fleet/fleet.js';
export type { FleetJob } from './fleet/job.js';
export { LocalTasks } from './local/local-tasks.js';
export type { Connection } from './shared/connection.js';
export type {
  FleetMapOptions,
  FleetOptions,
  FleetProxyOptions,
  FleetRunOptions,
  FleetWorkerOptions,
  KeepOptions,
  QueueOptions,
} from './shared/options.js';
export type { WorkerEntry } from './shared/registry.js';
export type { Tasks } from './tasks/task-runner.js';
export { createFleetWorker, FleetWorker, type FleetWorkerCloseOptions } from './worker/fleet-worker.js';
export type { Health } from './worker/health.js';
export { workerCommand } from './worker/worker-command.js';
