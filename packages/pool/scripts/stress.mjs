// Random tasks, faults, aborts and deaths for a while; then every promise must have settled exactly once, with the
// right result or a coded error, and the pool must still work and leave no thread behind.
// Usage: npm run stress:pool -- [seconds] [seed]
import { readdirSync } from 'node:fs';
import { Pool, PoolError } from '../dist/index.js';

/** How often each kind of task comes, in parts of the sum. Those that cost a worker its life are rare but for storms. */
const WEIGHTS = {
  ...{ add: 300, echo: 100, later: 100, large: 30, shared: 30, transfer: 30, moved: 30, priority: 50 },
  ...{ throw: 30, uncloneable: 30, noName: 10, abort: 60, abortSoon: 20 },
  ...{ exit: 1, crash: 1, kill: 1, timeout: 1, abortRunning: 1 },
};
const STORM = { add: 5, exit: 1, crash: 1, kill: 1, timeout: 1, abortRunning: 2, abortSoon: 3, shared: 2 };

/** A small generator, so that a run can be repeated from its seed. */
function randomFrom(seed) {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

function pick(random, weights) {
  const all = Object.entries(weights);
  let left = random() * all.reduce((sum, [, weight]) => sum + weight, 0);
  for (const [kind, weight] of all) {
    left -= weight;
    if (left < 0) return kind;
  }
  return 'add';
}

/** One task: how to start it, and whether its outcome is right. */
function taskOf(kind, pool, number, random) {
  const file = (name) => ({ name });
  switch (kind) {
    case 'echo':
      return [pool.run({ number, list: [number] }, file('echo')), (value) => value?.list?.[0] === number];
    case 'later':
      return [pool.run(number, file('echoLater')), (value) => value === number];
    case 'throw':
      return [pool.run(String(number), file('fail')), (_, error) => error?.code === 'E_ODD'];
    case 'uncloneable':
      return [pool.run(0, file('returnFunction')), (_, error) => error?.code === 'PLIMSOLL_POOL_UNCLONEABLE'];
    case 'exit':
      return [pool.run(3, file('exit')), (_, error) => error?.exitCode === 3];
    case 'large':
      return [pool.run('x'.repeat(5000 + (number % 5000)), file('echo')), (value) => value?.length >= 5000];
    case 'timeout':
      return [
        pool.run(undefined, { name: 'blockForever', timeout: 20 }),
        (_, error) => error?.name === 'TimeoutError',
      ];
    case 'abort': {
      const controller = new AbortController();
      const run = pool.run({ a: number, b: 1 }, { signal: controller.signal });
      if (random() < 0.9) controller.abort();
      else queueMicrotask(() => controller.abort());
      return [run, (value, error) => value === number + 1 || error?.name === 'AbortError'];
    }
    case 'abortSoon': {
      const controller = new AbortController();
      const run = pool.run({ a: number, b: 1 }, { signal: controller.signal });
      setTimeout(() => controller.abort(), random() * 3);
      return [run, (value, error) => value === number + 1 || error?.name === 'AbortError'];
    }
    case 'abortRunning': {
      const controller = new AbortController();
      const run = pool.run(undefined, { name: 'blockForever', signal: controller.signal });
      setTimeout(() => controller.abort(), 5 + random() * 20);
      return [run, (_, error) => error?.name === 'AbortError'];
    }
    case 'shared':
      return [
        pool.run(new Int32Array(new SharedArrayBuffer(4)), file('count')),
        (value, error) => value === undefined && error === undefined,
      ];
    case 'transfer': {
      const bytes = new Uint8Array(64);
      const run = pool.run(bytes, { name: 'size', transferList: [bytes.buffer] });
      return [run, (value) => value === 64];
    }
    case 'moved':
      return [pool.run(64, file('movedBytes')), (value) => value?.byteLength === 64];
    case 'priority':
      return [
        pool.run({ a: number, b: 1 }, { priority: Math.floor(random() * 3) }),
        (value) => value === number + 1,
      ];
    case 'noName':
      return [pool.run(0, file('noSuchName')), (_, error) => error?.code === 'PLIMSOLL_POOL_LOAD_FAILED'];
    case 'crash':
      return [pool.run(0, file('crash')), (_, error) => error?.code === 'PLIMSOLL_POOL_WORKER_CRASHED'];
    case 'kill':
      void pool.threads[Math.floor(random() * pool.threads.length)]?.terminate();
      return [pool.run({ a: number, b: 1 }), (value) => value === number + 1];
    default:
      return [pool.run({ a: number, b: 1 }), (value) => value === number + 1];
  }
}

/** A task may always be lost with its worker, and must say so. */
const diedWithWorker = (error) =>
  error instanceof PoolError && /_(EXITED|CRASHED|OUT_OF_MEMORY|START_FAILED)$/.test(error.code);

export async function stress({ seconds, seed, filename, options = {} }) {
  const random = randomFrom(seed);
  const threadsBefore = threadCount();
  const pool = new Pool({ filename, minThreads: 2, maxThreads: 3, idleTimeout: 50, ...options });
  pool.on('error', () => {});
  const counts = { started: 0, settled: 0, twice: 0, wrong: 0, lost: 0 };
  const end = performance.now() + seconds * 1000;
  // From the first priority on, a pool keeps the order on the host: both ways get their half.
  const firstPriority = end - seconds * 500;
  let inFlight = 0;
  let weights = WEIGHTS;
  const start = () => {
    const picked = pick(random, weights);
    const kind = picked === 'priority' && performance.now() < firstPriority ? 'add' : picked;
    const [run, isRight] = taskOf(kind, pool, counts.started++, random);
    let settled = false;
    inFlight++;
    const settle = (value, error) => {
      if (settled) counts.twice++;
      settled = true;
      inFlight--;
      counts.settled++;
      if (isRight(value, error)) return;
      if (diedWithWorker(error)) counts.lost++;
      else {
        counts.wrong++;
        console.error('wrong:', kind, value, error);
      }
    };
    run.then(
      (value) => settle(value, undefined),
      (error) => settle(undefined, error),
    );
  };
  while (performance.now() < end) {
    weights = random() < 0.02 ? STORM : WEIGHTS;
    for (let burst = Math.floor(random() * (weights === STORM ? 30 : 200)); burst > 0; burst--) start();
    while (inFlight > 500) await new Promise((resolve) => setImmediate(resolve));
    if (random() < 0.02) await new Promise((resolve) => setTimeout(resolve, 30));
  }
  const patience = performance.now() + 60_000;
  while (inFlight > 0 && performance.now() < patience) await new Promise((resolve) => setTimeout(resolve, 5));
  const works = inFlight === 0 ? await pool.run({ a: 1, b: 1 }) : 'tasks hang';
  await pool.destroy();
  const leftThreads = Math.max(0, (await fewestThreads(threadsBefore)) - threadsBefore);
  return { ...counts, pending: inFlight, queueSize: pool.queueSize, works, leftThreads };
}

/** As the kernel counts them; elsewhere than on Linux always 0. */
const threadCount = () => (process.platform === 'linux' ? readdirSync('/proc/self/task').length : 0);

/** The kernel's list follows the end of a thread with a delay. */
async function fewestThreads(wanted) {
  for (let look = 0; look < 100 && threadCount() > wanted; look++) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return threadCount();
}

/** Prints what happened; the exit code says whether all of it was right. */
export async function main([seconds = '60', seed = String(Date.now() % 2 ** 31)]) {
  const filename = new URL('../test/fixtures/tasks.mjs', import.meta.url);
  const result = await stress({ seconds: Number(seconds), seed: Number(seed), filename });
  console.log({ seed: Number(seed), ...result });
  const bad = result.wrong + result.twice + result.pending + result.leftThreads > 0 || result.works !== 2;
  process.exitCode = bad ? 1 : 0;
}
