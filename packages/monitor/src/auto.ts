import { isMainThread } from 'node:worker_threads';
import { type AutoSettings, MAX_PORT, readSettings } from './auto-settings.js';
import { observeWithOpenTelemetry, prometheusText } from './exporters/families.js';
import { monitorThreadPool, type ThreadPoolMonitor } from './host/monitor.js';
import type { Meter } from './metrics/opentelemetry.js';
import { prometheusContentType } from './metrics/prometheus.js';
import { rescueThreadPool } from './resize/rescue.js';
import type { RescueChange } from './resize/rescuer.js';
import { mainThreadState } from './resize/start-engine.js';
import { engineLink, threadPool } from './resize/thread-pool.js';
import { sizeFor } from './shared/pool-size.js';
import { fast } from './worker/calls.js';

/** How long the pool must be saturated before a warning, and the least time between two warnings. */
const FOR_MS = 1000;
const PAUSE_MS = 60_000;

/** All copies of `@opentelemetry/api` in a process store the registered SDK under this key. */
const OPEN_TELEMETRY = Symbol.for('opentelemetry.js.api.1');
const METER = '@plimsoll/monitor';
const RETRY_MS = 1000;
const ATTEMPTS = 60;

/** Runs when `@plimsoll/monitor/auto` is preloaded. @returns undefined in a Worker: threads share one pool */
export function start(): ThreadPoolMonitor | undefined {
  if (!isMainThread) return undefined;
  const settings = readSettings(process.env);
  for (const complaint of settings.complaints) warn(complaint, 'PLIMSOLL_MONITOR_BAD_OPTION');
  const monitor = monitorThreadPool({ resolution: settings.resolution });
  if (settings.rescue !== undefined) void rescue(settings.rescue);
  if (settings.waitMs !== undefined) warnWhenSaturated(monitor, settings.waitMs);
  if (settings.listen !== undefined) serve(monitor, settings.listen).catch(cannotListen);
  tryForAMinute(() => observeWhenRegistered(monitor));
  try {
    monitor.enable();
  } catch (error) {
    // For example --permission without --allow-worker; the application must still run.
    warn(`The thread pool is not monitored: ${(error as Error).message}`, 'PLIMSOLL_MONITOR_LOST');
  }
  tryForAMinute(() => warnWhenSizeDiffers(monitor));
  return monitor;
}

function warn(text: string, code: string): void {
  process.emitWarning(text, { type: 'PlimsollWarning', code });
}

/** Starts the pool with `max` now if threads cannot be added later; children inherit the old variable. */
async function rescue({ size: requested, max }: NonNullable<AutoSettings['rescue']>): Promise<void> {
  const text = process.env.UV_THREADPOOL_SIZE;
  const size = requested ?? threadPool.size ?? sizeFor(text);
  if (threadPool.size === undefined && threadPool.resizing !== 'threads') {
    process.env.UV_THREADPOOL_SIZE = String(max);
    fast(() => {});
    if (text === undefined) delete process.env.UV_THREADPOOL_SIZE;
    else process.env.UV_THREADPOOL_SIZE = text;
  }
  try {
    const rescue = await rescueThreadPool({ size, max });
    let emit = warn;
    const report = ({ from, size, reason }: RescueChange): void =>
      emit(`libuv's pool: ${from} → ${size} threads; ${reason}`, 'PLIMSOLL_POOL_RESCUED');
    rescue.on('grow', report).on('shrink', report);
    process.on('exit', () => {
      // The event loop has stopped: nothing else would deliver pending messages or an `emitWarning`.
      emit = (text, code) =>
        void process.emit('warning', Object.assign(new Error(text), { name: 'PlimsollWarning', code }));
      engineLink().drain();
    });
  } catch (error) {
    const { message, code } = error as NodeJS.ErrnoException;
    warn(`The thread pool is not rescued: ${message}`, code ?? 'PLIMSOLL_MONITOR_RESCUE_UNAVAILABLE');
  }
}

const cannotListen = (error: Error): void => warn(`No /metrics: ${error.message}`, 'PLIMSOLL_MONITOR_LISTEN');

function warnWhenSaturated(monitor: ThreadPoolMonitor, waitMs: number): void {
  let last = Number.NEGATIVE_INFINITY;
  monitor.onSaturation({ waitMs, forMs: FOR_MS }, ({ saturated, waitMs: measured }) => {
    if (!saturated || performance.now() - last < PAUSE_MS) return;
    last = performance.now();
    warn(
      `For ${FOR_MS / 1000} s no job got a libuv pool thread within ${waitMs} ms; the last one waited ` +
        `${Math.round(measured)} ms${described(monitor)}`,
      'PLIMSOLL_POOL_SATURATED',
    );
  });
}

function described({ threadPool: { size, busy, queued } }: ThreadPoolMonitor): string {
  if (size === undefined) return '';
  if (busy === undefined || queued === undefined) return ` (${size} threads)`;
  return ` (${size} threads, ${busy} busy, ${queued} jobs waiting)`;
}

/** The application may set the variable in its first lines, and may first use the pool much later. */
function warnWhenSizeDiffers(monitor: ThreadPoolMonitor): boolean {
  const { size } = monitor.threadPool;
  const text = process.env.UV_THREADPOOL_SIZE;
  if (mainThreadState() !== undefined) return true;
  if (size === undefined || size === sizeFor(text)) return false;
  warn(
    `libuv's pool has ${size} threads, but UV_THREADPOOL_SIZE is ${text === undefined ? 'not set' : `'${text}'`}: something used ` +
      "the pool before the variable was changed, as Node's ES module loader does before Node 22.18 and 24.3. Set it before " +
      'Node starts, or preload @plimsoll/monitor/auto with --require, not --import',
    'PLIMSOLL_POOL_SIZE',
  );
  return true;
}

/** Cluster workers take the next free port: on a shared one, each scrape would reach another process. */
async function serve(
  monitor: ThreadPoolMonitor,
  { host, port }: NonNullable<AutoSettings['listen']>,
): Promise<void> {
  const [{ default: cluster }, { createServer }] = await Promise.all([
    import('node:cluster'),
    import('node:http'),
  ]);
  const isWorker = port !== 0 && cluster.isWorker;
  let freePort = isWorker ? port + 1 : port;
  const server = createServer((request, response) => {
    const isMetrics = request.url?.split('?')[0] === '/metrics';
    response.statusCode = isMetrics ? 200 : 404;
    response.setHeader('content-type', isMetrics ? prometheusContentType : 'text/plain');
    response.end(isMetrics ? prometheusText(monitor) : 'only /metrics exists\n');
  });
  server.on('connection', (socket) => socket.unref());
  const listen = (): void => void server.listen({ host, port: freePort, exclusive: true }).unref();
  server.on('error', (error: NodeJS.ErrnoException) => {
    if (!isWorker || error.code !== 'EADDRINUSE' || freePort === MAX_PORT) return cannotListen(error);
    freePort++;
    listen();
  });
  listen();
}

/** The application may start its SDK later. */
function observeWhenRegistered(monitor: ThreadPoolMonitor): boolean {
  const api = Reflect.get(globalThis, OPEN_TELEMETRY) as
    | { readonly metrics?: { getMeter(name: string): Meter } }
    | undefined;
  if (api?.metrics === undefined) return false;
  observeWithOpenTelemetry(monitor, api.metrics.getMeter(METER));
  return true;
}

/** Calls `attempt` once a second, for a minute, until it returns true. */
function tryForAMinute(attempt: () => boolean, attemptsLeft = ATTEMPTS): void {
  if (attempt() || attemptsLeft === 0) return;
  setTimeout(() => tryForAMinute(attempt, attemptsLeft - 1), RETRY_MS).unref();
}
