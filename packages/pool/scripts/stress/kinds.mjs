import { MessageChannel } from 'node:worker_threads';
import { PoolError, UncloneableError } from '@plimsoll/pool';
import { checksum } from './checksum.mjs';
import { Random } from './random.mjs';
import { hide, marksOf, thrownOf } from './tasks.mjs';
import { bytes, deep, depthOf, nested, text, value, view } from './values.mjs';

/**
 * The kinds of tasks. Each starts one on a pool and returns its promise and a judge of its end: is this value, or this error,
 * what the task had to give? Errors of workers that died are not the judge's to know.
 *
 * @typedef {{ pool: import('@plimsoll/pool').Pool, random: import('./random.mjs').Random, number: number, file: URL, printed: import('./printed.mjs').Printed }} Bench
 * @typedef {[run: Promise<unknown>, isRight: (value: unknown, error: unknown) => boolean]} Started
 */

const otherFile = new URL('./other.cjs', import.meta.url);
const missingFile = new URL('./missing.mjs', import.meta.url);

const withCode = (code) => (_, error) => error?.code === code;
const gives = (expected) => (given) => given === expected;
const named = (name) => (_, error) => error?.name === name;

/** A task that checks its value and answers with one that can be checked. */
function checked({ pool, random, number }, name, extra = {}, options = {}) {
  const given = value(random);
  const task = { seed: number, sum: checksum(given), value: given, ...extra };
  return [pool.run(task, { name, ...options }), (answer) => isAnswer(answer, number)];
}
const isAnswer = (answer, number) =>
  answer?.seed === number && typeof answer.sum === 'number' && checksum(answer.value) === answer.sum;

/** A value there and back, as it is. */
function echoed({ pool, file }, given, options = { filename: file }) {
  const sum = checksum(given);
  return [
    pool.run(given, { ...options, name: 'echo' }),
    (returned, error) => !error && checksum(returned) === sum,
  ];
}

/** Too deep for one of the stacks, or right. */
const deepOr = (isRight) => (returned, error) =>
  error === undefined ? isRight(returned) : error instanceof UncloneableError || error instanceof RangeError;

function aborted({ pool, random }, name, task, delay) {
  const controller = new AbortController();
  const run = pool.run(task, { name, signal: controller.signal });
  const abort = () => controller.abort();
  if (delay === 0) abort();
  else if (delay === 'microtask') queueMicrotask(abort);
  else setTimeout(abort, random.unit() * delay);
  return run;
}

/** @type {Record<string, (bench: Bench) => Started>} */
export const kinds = {
  answer: (bench) => checked(bench, 'answer'),
  answerLater: (bench) => checked(bench, 'answerLater'),
  print(bench) {
    const lines = bench.random.between(1, 5);
    const [run, isRight] = checked(bench, 'print', { lines });
    const isPrinted = (answer, error) => {
      if (!isRight(answer, error) || !/^p{1000,}$/.test(answer.padding)) return false;
      bench.printed.expected += lines * marksOf(bench.number);
      return true;
    };
    return [run, isPrinted];
  },
  priority: (bench) => checked(bench, 'answer', {}, { priority: bench.random.below(3) }),
  number: (bench) => echoed(bench, bench.number),
  text: (bench) => echoed(bench, text(bench.random)),
  largeText: (bench) => echoed(bench, text(bench.random, true)),
  view: (bench) => echoed(bench, view(bench.random, bench.random.chance(0.1) ? 'large' : 'small')),
  hugeView: (bench) => echoed(bench, view(bench.random, 'huge')),
  otherFile: (bench) => echoed(bench, text(bench.random), { filename: otherFile }),
  /** Every query is a module of its own, so the file is loaded anew. */
  freshFile(bench) {
    const fresh = new URL(bench.file);
    fresh.search = `?${bench.number % 20}`;
    return echoed(bench, nested(bench.random), { filename: fresh });
  },
  transfer({ pool, random }) {
    const buffer = bytes(random, random.chance(0.1) ? 'large' : 'small');
    const sum = checksum(buffer);
    return [pool.run(buffer, { name: 'sumOf', transferList: [buffer] }), gives(sum)];
  },
  moved({ pool, number }) {
    const sum = checksum(bytes(new Random(number)));
    return [pool.run(number, { name: 'moved' }), (buffer, error) => !error && checksum(buffer) === sum];
  },
  port({ pool, random }) {
    const { port1, port2 } = new MessageChannel();
    const given = nested(random);
    const told = new Promise((resolve) => {
      port1.once('message', (sum) => resolve(sum === checksum(given)));
      port1.once('close', () => resolve(undefined));
    });
    const run = pool.run({ port: port2, value: given }, { name: 'tell', transferList: [port2] });
    return [run.then(() => told).finally(() => port1.close()), gives(true)];
  },
  shared({ pool }) {
    const shared = new Int32Array(new SharedArrayBuffer(4));
    return [pool.run(shared, { name: 'count' }), () => Atomics.load(shared, 0) === 1];
  },
  spin: ({ pool, random }) => {
    const milliseconds = random.between(1, 30);
    return [pool.run(milliseconds, { name: 'spin' }), gives(milliseconds)];
  },

  fail: ({ pool, number }) => [pool.run(number, { name: 'fail' }), (_, error) => isThrown(error, number)],
  uncloneableTask: ({ pool, random }) => [
    pool.run(hide(random, () => 1)),
    withCode('PLIMSOLL_POOL_UNCLONEABLE'),
  ],
  uncloneableResult: ({ pool, number }) => [
    pool.run(number, { name: 'returnFunction' }),
    withCode('PLIMSOLL_POOL_UNCLONEABLE'),
  ],
  unreadableTask: ({ pool }) => [pool.run(broken()), (_, error) => error?.message === 'a getter of the task'],
  /** Its getter's error, or what the pool says of a proxy. */
  unreadableResult: ({ pool, number }) => [
    pool.run(number, { name: 'unreadable' }),
    (_, error) => error?.name === 'OddError' || error instanceof UncloneableError,
  ],
  deepTask({ pool, random }) {
    const depth = random.of([150, 250, 1000, 10_000]);
    return [pool.run(deep(depth), { name: 'depthOf' }), deepOr((found) => found === depth)];
  },
  deepResult({ pool, random }) {
    const depth = random.of([150, 250, 1000, 10_000]);
    return [pool.run(depth, { name: 'deepResult' }), deepOr((found) => depthOf(found) === depth)];
  },
  deepThrown({ pool, random }) {
    return [pool.run(random.of([150, 1000, 10_000]), { name: 'failDeeply' }), named('OddError')];
  },
  noName: ({ pool }) => [pool.run(0, { name: 'noSuchName' }), withCode('PLIMSOLL_POOL_LOAD_FAILED')],
  noFile: ({ pool }) => [pool.run(0, { filename: missingFile }), withCode('PLIMSOLL_POOL_LOAD_FAILED')],
  badPriority: ({ pool }) => [pool.run(0, { priority: 0.5 }), (_, error) => error instanceof Error],

  abort(bench) {
    const delay = bench.random.chance(0.9) ? 0 : 'microtask';
    const isRight = (given, error) => given === bench.number || error?.name === 'AbortError';
    return [aborted(bench, 'echo', bench.number, delay), isRight];
  },
  abortSoon(bench) {
    const isRight = (given, error) => given === bench.number || error?.name === 'AbortError';
    return [aborted(bench, 'echo', bench.number, 3), isRight];
  },
  abortRunning: (bench) => [aborted(bench, 'blockForever', undefined, 30), named('AbortError')],
  timeout: ({ pool }) => [pool.run(undefined, { name: 'blockForever', timeout: 20 }), named('TimeoutError')],
  exit: ({ pool }) => [pool.run(3, { name: 'exit' }), (_, error) => error?.exitCode === 3],
  crash: ({ pool }) => [pool.run(0, { name: 'crash' }), withCode('PLIMSOLL_POOL_WORKER_CRASHED')],
  fillHeap: ({ pool }) => [pool.run(0, { name: 'fillHeap' }), withCode('PLIMSOLL_POOL_OUT_OF_MEMORY')],
  /** Rarely the only one: with it die all tasks that wait, if it has not started yet. */
  kill(bench) {
    const { threads } = bench.pool;
    if (threads.length > 1 || bench.random.chance(0.1)) void bench.random.of(threads)?.terminate();
    return echoed(bench, bench.number);
  },
};

/** Those that end a worker which may have had other tasks. */
export const DEADLY = new Set(['exit', 'crash', 'fillHeap', 'kill']);

const broken = () =>
  Object.defineProperty({ fine: 1 }, 'broken', {
    enumerable: true,
    get() {
      throw new Error('a getter of the task');
    },
  });

/** As `fail` throws it. */
function isThrown(error, number) {
  if (!(error instanceof RangeError)) return false;
  const parts = ({ name, message, code, cause, details }) => [name, message, code, cause, details];
  return checksum(parts(error)) === checksum(parts(thrownOf(number)));
}

/** A task may be lost with its worker, and must say so. */
export const diedWithWorker = (error) =>
  error instanceof PoolError && /_(EXITED|CRASHED|OUT_OF_MEMORY|START_FAILED)$/.test(error.code);

/** Was the task in a pool that was closed or destroyed? */
export const diedWithPool = (error) =>
  error instanceof PoolError &&
  (error.code === 'PLIMSOLL_POOL_CLOSED' || error.code === 'PLIMSOLL_POOL_ABORTED');
