export type { MonitorErrorCode } from './errors.js';
export { type Meter, observeWithOpenTelemetry } from './exporters/opentelemetry.js';
export { type PromClient, registerWithPromClient } from './exporters/prom-client.js';
export { prometheusContentType, prometheusText } from './exporters/prometheus-text.js';
export { monitorThreadPool, type ThreadPoolMonitor } from './host/monitor.js';
export type { ThreadPool } from './host/thread-pool.js';
export type { WaitHistogram, WaitSummary } from './host/wait-histogram.js';
export type { SaturationEvent } from './host/watch-list.js';
export type { MonitorOptions, SaturationOptions } from './options.js';
