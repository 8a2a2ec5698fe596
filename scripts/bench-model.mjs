// `npm run bench:model`: how long the simulation of 100,000 jobs at eleven sizes takes.
import { setup } from './setup.mjs';

setup();
const { simulate } = await import('../packages/plimsoll/dist/model/simulate.js');
const { createRandom } = await import('../packages/plimsoll/dist/stats/random.js');

const JOBS = 100_000;
const SIZES = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024];
const MACHINE = {
  cores: 2,
  quota: null,
  otherCores: 0.05,
  sliceMs: 4,
  protectMs: 1.4,

  wakeMs: 0.03,
};
const random = createRandom(1);

/** Jobs a millisecond apart on average. */
function workload(job) {
  const arrays = {
    cpuMs: new Float64Array(JOBS),
    blockedMs: new Float64Array(JOBS),
    slow: new Uint8Array(JOBS),
  };
  const atMs = new Float64Array(JOBS);
  let now = 0;
  for (let index = 0; index < JOBS; index++) {
    now -= Math.log(1 - random.next());
    atMs[index] = now;
    const { cpu = 0, blocked = 0, slow = 0 } = job(index);
    arrays.cpuMs[index] = cpu;
    arrays.blockedMs[index] = blocked;
    arrays.slow[index] = slow;
  }
  return {
    ...{ count: JOBS, processes: 1, loopProcess: Int32Array.of(0), background: [], ...arrays, atMs },
    ...{ loop: new Int32Array(JOBS), parent: new Int32Array(JOBS).fill(-1), direct: new Uint8Array(JOBS) },
    ...{ beforeMs: new Float64Array(JOBS).fill(0.02), afterMs: new Float64Array(JOBS).fill(0.02) },
  };
}

const CASES = {
  'CPU, cores 90 % busy': () => ({ cpu: random.next() * 3.6 }),
  'CPU, more than the cores give': () => ({ cpu: random.next() * 5 }),
  'blocked, some lookups': (index) => ({
    cpu: 0.05,
    blocked: index % 2 === 0 ? 0 : 5,
    slow: Number(index % 7 === 0),
  }),
};
for (const [name, job] of Object.entries(CASES)) {
  const work = workload(job);
  const begun = performance.now();
  for (const size of SIZES) simulate(work, { size, machine: MACHINE, lookMs: 50 });
  console.log(`${name}: ${((performance.now() - begun) / 1000).toFixed(2)} s`);
}
