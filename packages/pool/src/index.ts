export {
  AbortError,
  type FaultContext,
  PoolError,
  type PoolErrorCode,
  TimeoutError,
  UncloneableError,
  WorkerError,
} from './errors.js';
export type { TaskEvent } from './host/escort.js';
export type { MapOptions, StreamOptions } from './host/loops.js';
export type {
  AbortEmitter,
  AbortSignalAny,
  BreakerOptions,
  FilledOptions,
  HostFunctions,
  PoolOptions,
  RetryOptions,
  RunOptions,
  WorkerEnd,
} from './host/options.js';
export type { BroadcastOptions, BroadcastResult, ProxyOptions } from './host/submit.js';
export { Pool, type ResizeOptions } from './pool.js';
export type { CloseOptions, PoolEvents, PoolHistogram, PoolStats } from './pool-base.js';
export type { HistogramSummary } from './shared/histogram.js';
export { move } from './shared/move.js';
export type { OpenTelemetryApi } from './shared/otel-api.js';
export type { Storage, Storages } from './shared/stores.js';
export type { AnyModule, ItemOf, NameOf, Proxied, ResultOf, StreamNameOf, TaskOf } from './types.js';
export { VERSION as version } from './version.js';
