// Random tasks, faults, aborts and deaths for a while; then every promise must have settled exactly once, with the
// right result or a coded error, and the pool must still work. Usage: node scripts/stress.mjs [seconds] [seed]
import { pathToFileURL } from 'node:url';
import { Pool, PoolError } from '../dist/index.js';

const KINDS = ['add', 'echo', 'later', 'throw', 'uncloneable', 'exit', 'abort', 'timeout', 'large', 'kill'];

/** A small generator, so that a run can be repeated from its seed. */
function randomFrom(seed) {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

function pick(random) {
  const rare = random();
  if (rare < 0.0005) return 'exit';
  if (rare < 0.001) return 'kill';
  if (rare < 0.0015) return 'timeout';
  return KINDS[Math.floor(random() * 9)] ?? 'add';
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
    case 'kill':
      void pool.threads[Math.floor(random() * pool.threads.length)]?.terminate();
      return [pool.run({ a: number, b: 1 }), (value) => value === number + 1];
    default:
      return [pool.run({ a: number, b: 1 }), (value) => value === number + 1];
  }
}

/** A task may always be lost with its worker, and must say so. */
const diedWithWorker = (error) =>
  error instanceof PoolError && /_(EXITED|CRASHED|OUT_OF_MEMORY)$/.test(error.code);

export async function stress({ seconds, seed, filename, options = {} }) {
  const random = randomFrom(seed);
  const pool = new Pool({ filename, minThreads: 2, maxThreads: 3, idleTimeout: 50, ...options });
  pool.on('error', () => {});
  const counts = { started: 0, settled: 0, twice: 0, wrong: 0, lost: 0 };
  const end = performance.now() + seconds * 1000;
  let inFlight = 0;
  const start = () => {
    const kind = pick(random);
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
    for (let burst = Math.floor(random() * 200); burst > 0; burst--) start();
    while (inFlight > 500) await new Promise((resolve) => setImmediate(resolve));
    if (random() < 0.02) await new Promise((resolve) => setTimeout(resolve, 30));
  }
  const patience = performance.now() + 60_000;
  while (inFlight > 0 && performance.now() < patience) await new Promise((resolve) => setTimeout(resolve, 5));
  const works = inFlight === 0 ? await pool.run({ a: 1, b: 1 }) : 'tasks hang';
  await pool.destroy();
  return { ...counts, pending: inFlight, queueSize: pool.queueSize, works };
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const seconds = Number(process.argv[2] ?? 60);
  const seed = Number(process.argv[3] ?? Date.now() % 2 ** 31);
  const filename = new URL('../test/fixtures/tasks.mjs', import.meta.url);
  const result = await stress({ seconds, seed, filename });
  console.log({ seed, ...result });
  const bad = result.wrong + result.twice + result.pending > 0 || result.works !== 2;
  process.exitCode = bad ? 1 : 0;
}
