// A run of `scripts/bench-builds.mjs`: the rate of small tasks of one build, in tasks a second, and microseconds of CPU of the
// whole process for each.
import { performance } from 'node:perf_hooks';
import { pathToFileURL } from 'node:url';

const [, , build, workers, window, milliseconds] = process.argv;
const { Pool } = await import(pathToFileURL(`${build}/dist/node/index.js`).href);
const count = Number(workers);
const pool = new Pool({
  filename: new URL('./bench-task.mjs', import.meta.url),
  minThreads: count,
  maxThreads: count,
});
// It was a getter once.
await (typeof pool.ready === 'function' ? pool.ready() : pool.ready);

/** Keeps so many tasks under way for so long, and gives how many ended. */
async function run(time) {
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

await run(300);
const before = performance.now();
const cpuBefore = process.cpuUsage();
const ended = await run(Number(milliseconds));
const { user, system } = process.cpuUsage(cpuBefore);
console.log(Math.round((ended / (performance.now() - before)) * 1000), (user + system) / ended);
await pool.close();
