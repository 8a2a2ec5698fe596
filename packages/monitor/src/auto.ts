import { isMainThread } from 'node:worker_threads';
import { type AutoSettings, MOST_PORT, readSettings } from './auto-settings.js';
import { observeWithOpenTelemetry, prometheusText } from './exporters/families.js';
import { monitorThreadPool, type ThreadPoolMonitor } from './host/monitor.js';
import type { Meter } from './metrics/opentelemetry.js';
import { prometheusContentType } from './metrics/prometheus.js';
import { stateAtHome } from './resize/home.js';
import { rescueThreadPool } from './resize/rescue.js';
import type { RescueChange } from './resize/rescuer.js';
import { engineLink, threadPool } from './resize/thread-pool.js';
import { sizeFor } from './shared/pool-size.js';
import { fast } from './worker/calls.js';

/** How long the pool must stay saturated for a warning, and how long after one there is no other. */
const FOR_MS = 1000;
const PAUSE_MS = 60_000;

/** Where `@opentelemetry/api` keeps what the SDK has registered, for all its copies in a process. */
const OPEN_TELEMETRY = Symbol.for('opentelemetry.js.api.1');
const METER = '@plimsoll/monitor';
const LOOK_MS = 1000;
const LOOKS = 60;

/** What `--import` and `--require` of `@plimsoll/monitor/auto` start. @returns undefined in a Worker: all threads share one pool */
export function start(): ThreadPoolMonitor | undefined {
  if (!isMainThread) return undefined;
  const settings = readSettings(process.env);
  for (const complaint of settings.complaints) warn(complaint, 'PLIMSOLL_MONITOR_BAD_OPTION');
  const monitor = monitorThreadPool({ resolution: settings.resolution });
  if (settings.rescue !== undefined) void rescue(settings.rescue);
  if (settings.waitMs !== undefined) warnWhenSaturated(monitor, settings.waitMs);
  if (settings.listen !== undefined) serve(monitor, settings.listen).catch(cannotListen);
  tryForAMinute(() => observeWhenThere(monitor));
  try {
    monitor.enable();
  } catch (error) {
    // Such as a process that may have no threads, by --permission: the application runs all the same.
    warn(`The thread pool is not monitored: ${(error as Error).message}`, 'PLIMSOLL_MONITOR_LOST');
  }
  tryForAMinute(() => warnWhenSizeDiffers(monitor));
  return monitor;
}

function warn(text: string, code: string): void {
  process.emitWarning(text, { type: 'PlimsollWarning', code });
}

/** Where no threads can be added, the pool is started with all that it may ever have; for children the variable stays what it was. */
async function rescue({ size: asked, max }: NonNullable<AutoSettings['rescue']>): Promise<void> {
  const text = process.env.UV_THREADPOOL_SIZE;
  const size = asked ?? threadPool.size ?? sizeFor(text);
  if (threadPool.size === undefined && threadPool.resizing !== 'threads') {
    process.env.UV_THREADPOOL_SIZE = String(max);
    fast(() => {});
    if (text === undefined) delete process.env.UV_THREADPOOL_SIZE;
    else process.env.UV_THREADPOOL_SIZE = text;
  }
  try {
    const rescue = await rescueThreadPool({ size, max });
    let emit = warn;
    const say = ({ from, size, reason }: RescueChange): void =>
      emit(`libuv's pool: ${from} → ${size} threads; ${reason}`, 'PLIMSOLL_POOL_RESCUED');
    rescue.on('grow', say).on('shrink', say);
    process.on('exit', () => {
      // No turn of the event loop comes any more, neither for a change that has just been made nor for `emitWarning`.
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
      `For ${FOR_MS / 1000} s no job got a thread of libuv's pool within ${waitMs} ms; the last one waited ` +
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

/** The application may set the variable in its first lines, and may use the pool much later. */
function warnWhenSizeDiffers(monitor: ThreadPoolMonitor): boolean {
  const { size } = monitor.threadPool;
  const text = process.env.UV_THREADPOOL_SIZE;
  if (stateAtHome() !== undefined) return true;
  if (size === undefined || size === sizeFor(text)) return false;
  warn(
    `libuv's pool has ${size} threads, but UV_THREADPOOL_SIZE is ${text === undefined ? 'not set' : `'${text}'`}: something used ` +
      "the pool before the variable was changed, as Node's loader of ES modules does before Node 22.18 and 24.3. Set it before " +
      'Node starts, or load @plimsoll/monitor/auto by --require, not --import',
    'PLIMSOLL_POOL_SIZE',
  );
  return true;
}

/** Or each scrape would ask another process of a cluster: a worker takes the first free port, one that replaces another the same. */
async function serve(
  monitor: ThreadPoolMonitor,
  { host, port }: NonNullable<AutoSettings['listen']>,
): Promise<void> {
  const [{ default: cluster }, { createServer }] = await Promise.all([
    import('node:cluster'),
    import('node:http'),
  ]);
  const isWorker = port !== 0 && cluster.isWorker;
  let own = isWorker ? port + 1 : port;
  const server = createServer((request, response) => {
    const isMetrics = request.url?.split('?')[0] === '/metrics';
    response.statusCode = isMetrics ? 200 : 404;
    response.setHeader('content-type', isMetrics ? prometheusContentType : 'text/plain');
    response.end(isMetrics ? prometheusText(monitor) : '/metrics is all there is\n');
  });
  server.on('connection', (socket) => socket.unref());
  const listen = (): void => void server.listen({ host, port: own, exclusive: true }).unref();
  server.on('error', (error: NodeJS.ErrnoException) => {
    if (!isWorker || error.code !== 'EADDRINUSE' || own === MOST_PORT) return cannotListen(error);
    own++;
    listen();
  });
  listen();
}

/** An SDK may be started after this, by the application. */
function observeWhenThere(monitor: ThreadPoolMonitor): boolean {
  const api = Reflect.get(globalThis, OPEN_TELEMETRY) as
    | { readonly metrics?: { getMeter(name: string): Meter } }
    | undefined;
  if (api?.metrics === undefined) return false;
  observeWithOpenTelemetry(monitor, api.metrics.getMeter(METER));
  return true;
}

/** Tries each second of the first minute, until that says it is done. */
function tryForAMinute(attempt: () => boolean, looks = LOOKS): void {
  if (attempt() || looks === 0) return;
  setTimeout(() => tryForAMinute(attempt, looks - 1), LOOK_MS).unref();
}
