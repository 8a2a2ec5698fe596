// Loaded by --require into every thread of every Node process of the command, before anything of it runs. It must not be
// noticed: it uses no pool, keeps nothing alive, prints nothing, and whatever goes wrong goes wrong quietly.
import fs = require('node:fs');
import path = require('node:path');
import worker = require('node:worker_threads');

import type { RecorderData } from './lines.cjs';

import calls = require('./calls.cjs');
import log = require('./log.cjs');
import threads = require('./threads.cjs');

const { FLAG, append, now } = log;

/** A recorder is ready, or done, within a tenth of a second; on a machine that starves it the app goes on without it. */
const PATIENCE_US = 5_000_000;
/** Short sleeps in which the engine serves the inspector a last time. */
const SERVING_TURNS = 3;

interface Settings {
  readonly directory: string;
  readonly maxEvents: number;
  readonly calls?: boolean;
}

function record(file: string, { directory, maxEvents, calls: withCalls }: Settings): void {
  if (!worker.isMainThread) {
    const tid = threads.self();
    if (tid !== null) append(file, [{ type: 'worker', tid, isRecorder: false }]);
    return;
  }
  const { node, uv: libuv } = process.versions;
  const script = process.argv[1] ?? null;
  const sizeText = process.env.UV_THREADPOOL_SIZE ?? null;
  const finishFile = path.join(directory, 'finish');
  const isWritten = append(file, [
    { type: 'process', at: now(), pid: process.pid, node, libuv, script, sizeText },
  ]);
  // Nobody reads it: the recording is over, or this process may not write there.
  if (!isWritten || fs.existsSync(finishFile)) return;
  // Two who stop and start tracing in one process would cut each other's records short.
  if (`${process.execArgv.join(' ')} ${process.env.NODE_OPTIONS}`.includes('--trace-event')) {
    append(file, [{ type: 'problem', id: 'other-tracing' }]);
    return;
  }
  const flags = new Int32Array(new SharedArrayBuffer(8));
  const shared = withCalls ? calls.shared() : undefined;
  // The permissions of the app, which its Workers are not told.
  const { permission } = process as { permission?: { has(scope: string): boolean } };
  const mayInspect = permission?.has('inspector') !== false;
  startRecorder({ flags, calls: shared, file, finishFile, maxEvents, mayInspect });
  if (shared !== undefined) calls.watch(shared, file);
}

function startRecorder(data: RecorderData): void {
  // No options of the app's: a loader of its own would run in there, and use the pool.
  const recorder = new worker.Worker(path.join(__dirname, 'recorder.cjs'), {
    workerData: data,
    name: 'plimsoll',
    env: {},
    execArgv: [],
    stdin: false,
  });
  recorder.unref();
  recorder.on('error', () => {});
  waitFor(data.flags, FLAG.ready);
  process.once('exit', () => {
    const isGone = recorder.threadId === -1;
    if (isGone || Atomics.load(data.flags, FLAG.done) === 1) return;
    recorder.postMessage('exit');
    waitFor(data.flags, FLAG.done);
    // Its session is closed, but this thread has still to serve that; else Node waits for it and says so.
    for (let turn = 0; turn < SERVING_TURNS; turn++) Atomics.wait(data.flags, FLAG.done, 1, 1);
  });
}

/** Wait for a flag in short sleeps: in between, the engine serves the inspector, without which the recorder waits for us. */
function waitFor(flags: Int32Array, flag: number): void {
  const until = now() + PATIENCE_US;
  while (Atomics.load(flags, flag) === 0 && now() < until) Atomics.wait(flags, flag, 0, 1);
}

if (process.env.PLIMSOLL_TRACE !== undefined) {
  let file = '';
  try {
    const settings = JSON.parse(process.env.PLIMSOLL_TRACE) as Settings;
    file = path.join(settings.directory, `${process.pid}.jsonl`);
    record(file, settings);
  } catch (error) {
    append(file, [{ type: 'problem', id: 'worker', detail: (error as Error).message }]);
  }
}
