import { BroadcastChannel, workerData } from 'node:worker_threads';
import { ResizeError, type ResizeErrorCode, unavailable } from '../errors.js';
import { MAX_THREADS } from '../options.js';
import { fast } from '../worker/calls.js';
import { readActivity } from './activity.js';
import { clock } from './deadline.js';
import { countThreads, Libuv } from './libuv.js';
import type { Request, ResizeFailure, ToEngine, ToThreads } from './messages.js';
import { makeFifo, Parking } from './parking.js';
import { RealThreads } from './real-threads.js';
import { Rescuer, type RescueSettings } from './rescuer.js';
import type { Resizer } from './resizer.js';
import type { EngineStartup } from './start-engine.js';
import { EngineState, NAME } from './state.js';
import { openStatus } from './status.js';

// A Worker: its jobs do not keep the main event loop alive, and it answers while that loop is blocked.

const { buffer, tmp, may } = workerData as EngineStartup;
const state = new EngineState(buffer);
const channel = new BroadcastChannel(NAME);
const post = (message: ToThreads): void => channel.postMessage(message);

// Suppresses the experimental warning of `node:ffi`, which users would take for the application's.
process.emitWarning = () => {};

const START_POLLS = 100;
const POLL_MS = 5;

let libuv: Libuv | undefined;
let resizer: Resizer | undefined;
let rescuer: Rescuer | undefined;
/** The pool's threads when the engine started; parking never changes them. */
let startIds: readonly number[] | undefined;
/** Why there is no engine, or only parking. */
let reason: string | undefined;

/** Chooses the method of resizing, once. */
async function prepare(): Promise<Resizer> {
  if (resizer !== undefined) return resizer;
  libuv ??= Libuv.find();
  const threads = await start();
  if (threads === undefined) throw cannot('pool threads cannot be counted in this build of Node');
  state.real = threads.count;
  state.size = threads.count;
  startIds = threads.ids;
  resizer = makeResizer();
  return resizer;
}

/** Starts the pool with the size of its variable if nothing has used it; another thread may be doing so. */
async function start(): Promise<ReturnType<typeof countThreads>> {
  if (countThreads(libuv) === undefined) fast(() => {});
  for (let polls = 0; polls < START_POLLS; polls++) {
    const threads = countThreads(libuv);
    if (threads !== undefined && (threads.ids !== undefined || libuv === undefined)) return threads;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  return countThreads(libuv);
}

function makeResizer(): Resizer {
  try {
    if (libuv === undefined || startIds === undefined) throw new Error("libuv's variables cannot be read");
    if (!may.ffi) throw new Error('--permission without --allow-ffi');
    const threads = new RealThreads(state, libuv);
    state.engine = 'threads';
    reason = undefined;
    return threads;
  } catch (error) {
    reason = `only up to the size at its start: ${textOf(error)}`;
  }
  try {
    if (!may.fifo) throw new Error('--permission without --allow-child-process and --allow-fs-write');
    const parking = new Parking(state, makeFifo(tmp), may.memory ? libuv : undefined, startIds);
    state.engine = 'parking';
    return parking;
  } catch (error) {
    throw cannot(`no FIFO could be created: ${textOf(error)}`);
  }
}

const textOf = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).split('\n')[0] as string;

function cannot(why: string): ResizeError {
  reason = why;
  return unavailable(why);
}

async function resize(size: number, deadline: number): Promise<void> {
  if (clock() >= deadline)
    throw new ResizeError(
      'PLIMSOLL_MONITOR_RESIZE_TIMEOUT',
      `earlier resizes took too long; the pool still has ${state.size} threads`,
    );
  if (state.isClosed) throw cannot('the process is about to exit');
  const engine = await prepare();
  const limit = state.engine === 'threads' ? MAX_THREADS : state.real;
  if (size > limit)
    throw new ResizeError(
      'PLIMSOLL_MONITOR_RESIZE_LIMIT',
      `the pool cannot have ${size} threads, at most ${limit}, ${reason}`,
    );
  await engine.resize(size, deadline);
}

async function answer(request: Request): Promise<void> {
  if (!('rescue' in request)) {
    await resize(request.size, request.deadline);
    rescuer?.rebase(request.size);
  } else if (request.rescue !== undefined) await startRescue(request.rescue, request.deadline);
  else {
    const size = rescuer?.stop();
    rescuer = undefined;
    if (size !== undefined) await resize(size, request.deadline);
  }
}

async function startRescue(settings: RescueSettings, deadline: number): Promise<void> {
  if (rescuer !== undefined)
    throw new ResizeError(
      'PLIMSOLL_MONITOR_RESCUE_RUNNING',
      'a rescue already runs in this process: stop() it first',
    );
  await prepare();
  const { size, max } = settings;
  const cannotRescue = (why: string): ResizeError =>
    new ResizeError('PLIMSOLL_MONITOR_RESCUE_UNAVAILABLE', `this pool cannot be rescued: ${why}`);
  if (state.engine === 'parking' && max > state.real)
    throw cannotRescue(
      `it started with ${state.real} threads and cannot have ${max}: start it with "plimsoll run --size ${size} ` +
        `--max ${max} -- node …", or with UV_THREADPOOL_SIZE=${max} and size: ${size}; or use Node 26.9 or later`,
    );
  const pool = libuv;
  const ids = (): readonly number[] => (state.engine === 'threads' ? pool?.threadIds() : startIds) ?? [];
  if (pool === undefined || readActivity(ids()).size === 0)
    throw cannotRescue("libuv's variables or the states of its threads cannot be read in this build of Node");
  await resize(size, deadline);
  const status = openStatus(tmp);
  rescuer = new Rescuer(settings, {
    ...{ state, pool, ids },
    resize: (to, until) => {
      const turn = last.then(() => resize(to, until));
      last = turn.catch(() => {});
      return turn;
    },
    onChange(change) {
      if (rescuer !== undefined) status(rescuer.status);
      if (change !== undefined) post({ to: 'threads', rescue: change });
    },
  });
  rescuer.start();
}

function failureOf(error: unknown): ResizeFailure {
  const { code, message } = error as { code?: ResizeErrorCode; message?: string };
  return { code: code ?? 'PLIMSOLL_MONITOR_RESIZE_UNAVAILABLE', message: message ?? String(error) };
}

const postReady = (): void => post({ to: 'threads', ready: buffer, reason });

/** The last resize: resizes run one after the other, in the order of their calls. */
let last: Promise<void> = Promise.resolve();

channel.onmessage = ({ data }: { data: unknown }) => {
  const message = data as ToEngine | ToThreads;
  if (message.to !== 'engine') return;
  if ('hello' in message) {
    postReady();
    return;
  }
  last = last.then(async () => {
    const error = await answer(message).then(() => undefined, failureOf);
    postReady();
    post({ to: 'threads', id: message.id, error });
  });
};
postReady();
