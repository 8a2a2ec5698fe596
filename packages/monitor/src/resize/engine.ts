import { BroadcastChannel, workerData } from 'node:worker_threads';
import { ResizeError, type ResizeErrorCode, unavailable } from '../errors.js';
import { MOST_THREADS } from '../options.js';
import { fast } from '../worker/calls.js';
import { readActivity } from './activity.js';
import { clock } from './deadline.js';
import type { EngineStartup } from './home.js';
import { countThreads, Libuv } from './libuv.js';
import type { Request, ResizeFailure, ToEngine, ToThreads } from './messages.js';
import { makeFifo, Parking } from './parking.js';
import { RealThreads } from './real-threads.js';
import { Rescuer, type RescueSettings } from './rescuer.js';
import type { Resizer } from './resizer.js';
import { EngineState, NAME } from './state.js';
import { openStatus } from './status.js';

// The thread that resizes the pool: its jobs do not keep the application's event loop alive, and it answers while that is blocked.

const { buffer, tmp, may } = workerData as EngineStartup;
const state = new EngineState(buffer);
const channel = new BroadcastChannel(NAME);
const post = (message: ToThreads): void => channel.postMessage(message);

// `node:ffi` says that it is experimental. What is said here is said in the application's name.
process.emitWarning = () => {};

const START_LOOKS = 100;
const LOOK_MS = 5;

let libuv: Libuv | undefined;
let resizer: Resizer | undefined;
let rescuer: Rescuer | undefined;
/** The pool's threads when the engine started: those there are for good, where threads are parked. */
let startIds: readonly number[] | undefined;
/** Why there is no engine, or only the weaker one. */
let reason: string | undefined;

/** Decides once how the pool is resized. */
async function prepare(): Promise<Resizer> {
  if (resizer !== undefined) return resizer;
  libuv ??= Libuv.find();
  const threads = await start();
  if (threads === undefined) throw cannot('the threads of the pool cannot be counted in this build of Node');
  state.real = threads.count;
  state.size = threads.count;
  startIds = threads.ids;
  resizer = makeResizer();
  return resizer;
}

/** Starts the pool at the size that its variable says, where nothing has used it yet; another thread may be just doing that. */
async function start(): Promise<ReturnType<typeof countThreads>> {
  if (countThreads(libuv) === undefined) fast(() => {});
  for (let looks = 0; looks < START_LOOKS; looks++) {
    const threads = countThreads(libuv);
    if (threads !== undefined && (threads.ids !== undefined || libuv === undefined)) return threads;
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
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
    reason = `only up to the size that the pool was started with: ${textOf(error)}`;
  }
  try {
    if (!may.fifo) throw new Error('--permission without --allow-child-process and --allow-fs-write');
    const parking = new Parking(state, makeFifo(tmp), may.memory ? libuv : undefined, startIds);
    state.engine = 'parking';
    return parking;
  } catch (error) {
    throw cannot(`no FIFO could be made: ${textOf(error)}`);
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
      `its turn did not come in time; there are ${state.size} threads`,
    );
  if (state.isClosed) throw cannot('the process is about to exit');
  const engine = await prepare();
  const limit = state.engine === 'threads' ? MOST_THREADS : state.real;
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
      'a rescue runs in this process already: stop() it first',
    );
  await prepare();
  const { size, max } = settings;
  const cannotRescue = (why: string): ResizeError =>
    new ResizeError('PLIMSOLL_MONITOR_RESCUE_UNAVAILABLE', `this pool cannot be rescued: ${why}`);
  if (state.engine === 'parking' && max > state.real)
    throw cannotRescue(
      `it was started with ${state.real} threads and cannot get ${max}: start it by "plimsoll run --size ${size} ` +
        `--max ${max} -- node …", or with UV_THREADPOOL_SIZE=${max} and size: ${size}; or use Node 26.9 or later`,
    );
  const pool = libuv;
  const ids = (): readonly number[] => (state.engine === 'threads' ? pool?.threadIds() : startIds) ?? [];
  if (pool === undefined || readActivity(ids()).size === 0)
    throw cannotRescue("libuv's variables, or what its threads do, cannot be read in this build of Node");
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

const sayReady = (): void => post({ to: 'threads', ready: buffer, reason });

/** Resizes run one after the other, in the order of their calls. */
let last: Promise<void> = Promise.resolve();

channel.onmessage = ({ data }: { data: unknown }) => {
  const message = data as ToEngine | ToThreads;
  if (message.to !== 'engine') return;
  if ('hello' in message) {
    sayReady();
    return;
  }
  last = last.then(async () => {
    const error = await answer(message).then(() => undefined, failureOf);
    sayReady();
    post({ to: 'threads', id: message.id, error });
  });
};
sayReady();
