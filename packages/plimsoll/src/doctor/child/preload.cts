// Loaded by --require into every thread of every Node process of the command, before its program runs. It prints nothing, keeps
// nothing alive, and fails silently. It uses the pool once, after the wait.
import crypto = require('node:crypto');
import fs = require('node:fs');
import modules = require('node:module');
import os = require('node:os');
import path = require('node:path');
import worker = require('node:worker_threads');
import threads = require('../../lab/child/own-threads.cjs');

interface Settings {
  readonly directory: string;
  readonly waitMs: number;
}

const VARIABLE = 'UV_THREADPOOL_SIZE';

const valueNow = (): string | null => process.env[VARIABLE] ?? null;

function examine({ directory, waitMs }: Settings): void {
  const [initial, before] = [valueNow(), new Set(threads.list())];
  let workers = 0;
  const forWorkers = noteEnvironments();
  process.on('worker', (started: worker.Worker) => {
    workers++;
    started.once('exit', () => void workers--);
  });
  const counted = (): number | null => {
    const all = threads.list();
    if (all.length === 0) return null;
    const named = all.filter((tid) => threads.nameOf(tid) === threads.POOL_THREAD).length;
    if (named > 0) return named;
    const added = all.filter((tid) => !before.has(tid) && !threads.nameOf(tid).startsWith('iou-'));
    return Math.max(0, added.length - workers);
  };
  const report = (usedBy: 'app' | 'doctor' | 'nobody', file = `${process.pid}.json`): void =>
    write(path.join(directory, file), {
      ...{ pid: process.pid, ppid: process.ppid, script: process.argv[1] ?? null },
      ...{ node: process.versions.node, libuv: process.versions.uv, platform: process.platform },
      ...{ initial, current: valueNow(), threads: usedBy === 'nobody' ? null : counted(), usedBy },
      ...{ forWorkers: [...forWorkers], pm2: process.env.pm_id !== undefined },
      availableParallelism: os.availableParallelism(),
    });
  // For a process that is killed, as by SIGABRT when libuv cannot create its threads.
  report('nobody', `${process.pid}.start.json`);
  const usedByApp = (): boolean => (counted() ?? 0) > 0;
  let last: 'app' | 'doctor' | 'nobody' = 'nobody';
  process.once('exit', () => {
    if (last === 'nobody' && usedByApp()) last = 'app';
    report(last);
  });
  setTimeout(() => {
    last = usedByApp() ? 'app' : 'doctor';
    // This job always goes to the pool; if it is the first one, libuv creates the threads.
    crypto.pbkdf2('', '', 1, 1, 'sha1', () => report(last));
  }, waitMs).unref();
}

/** A Worker with a separate environment does not load this file: note its value. */
function noteEnvironments(): Set<string> {
  const values = new Set<string>();
  worker.Worker = new Proxy(worker.Worker, {
    construct(target, args, newTarget) {
      const text = (args[1]?.env as NodeJS.ProcessEnv | undefined)?.[VARIABLE];
      if (typeof text === 'string') values.add(text);
      return Reflect.construct(target, args, newTarget) as object;
    },
  });
  modules.syncBuiltinESMExports();
  return values;
}

const LOOK_MS = 50;

/** In the thread of a Worker, whose copy of the environment has no effect on the pool. */
function examineWorker({ directory }: Settings): void {
  const initial = valueNow();
  let last: string | null | undefined;
  const report = (): void => {
    const current = valueNow();
    if (current === last) return;
    last = current;
    write(path.join(directory, `${process.pid}-${worker.threadId}.worker.json`), { initial, current });
  };
  report();
  process.once('exit', report);
  setInterval(report, LOOK_MS).unref();
}

/** Atomically: a reader finds the new report, or the previous one. */
function write(file: string, content: object): void {
  try {
    fs.writeFileSync(`${file}.part`, JSON.stringify(content));
    fs.renameSync(`${file}.part`, file);
  } catch {
    // The examination has ended, or this process may not write there.
  }
}

const text = process.env.PLIMSOLL_DOCTOR;
if (text !== undefined) {
  try {
    const settings = JSON.parse(text) as Settings;
    if (worker.isMainThread) examine(settings);
    else examineWorker(settings);
  } catch {
    // The app must not notice.
  }
}
