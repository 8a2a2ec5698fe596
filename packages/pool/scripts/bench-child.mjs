// A run of `scripts/bench-builds.mjs`: small tasks of two builds in one process, which take turns of 40 ms. Prints the rates of
// each, in tasks a second, and microseconds of CPU of the whole process for each task.
import { performance } from 'node:perf_hooks';
import { pathToFileURL } from 'node:url';

const SLICE = 40;
const [, , first, second, workers, window, milliseconds] = process.argv;
const count = Number(workers);

/** @param {string} build */
async function poolOf(build) {
  const { Pool } = await import(pathToFileURL(`${build}/dist/node/index.js`).href);
  const pool = new Pool({
    filename: new URL('./bench-task.mjs', import.meta.url),
    minThreads: count,
    maxThreads: count,
  });
  // It was a getter once.
  await (typeof pool.ready === 'function' ? pool.ready() : pool.ready);
  return pool;
}

/** Keeps so many tasks under way for so long, and gives how many ended. */
async function run(pool, time) {
  const end = performance.now() + time;
  let ended = 0;
  const keepOn = async () => {
    while (performance.now() < end) {
      await pool.run({ a: ended, b: 1 });
      ended++;
    }
  };
  await Promise.all(Array.from({ length: Number(window) }, keepOn));
  return ended;
}

const pools = [await poolOf(first), await poolOf(second)];
const slices = pools.map(() => []);
for (let warmUp = 0; warmUp < 3; warmUp++) for (const pool of pools) await run(pool, 120);
for (let turn = 0; turn < Number(milliseconds) / SLICE; turn++) {
  for (const place of turn % 2 === 0 ? [0, 1] : [1, 0]) {
    const before = performance.now();
    const cpuBefore = process.cpuUsage();
    const ended = await run(pools[place], SLICE);
    const { user, system } = process.cpuUsage(cpuBefore);
    slices[place].push({ rate: (ended / (performance.now() - before)) * 1000, cpu: (user + system) / ended });
  }
}
console.log(JSON.stringify(slices));
for (const pool of pools) await pool.close();
