// How long the simulation of 100,000 jobs at eleven sizes takes. It prints, and writes nothing.
import { createRandom, type Random, readOptions, type SimulatedWorkload, simulate } from 'plimsoll/lab';
import type { Command } from '../common/command.js';

const JOBS = { full: 100_000, quick: 2000 };
const SIZES = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024];
const MACHINE = { cores: 2, quota: null, otherCores: 0.05, sliceMs: 4, protectMs: 1.4, wakeMs: 0.03 };

interface Job {
  readonly cpu: number;
  readonly blocked?: number;
  readonly slow?: boolean;
}

type MakeJob = (index: number, random: Random) => Job;

const CASES: Readonly<Record<string, MakeJob>> = {
  'CPU, cores 90 % busy': (_, random) => ({ cpu: random.next() * 3.6 }),
  'CPU, more than the cores give': (_, random) => ({ cpu: random.next() * 5 }),
  'blocked, some lookups': (index) => ({
    cpu: 0.05,
    blocked: index % 2 === 0 ? 0 : 5,
    slow: index % 7 === 0,
  }),
};

export const modelSpeed: Command = {
  name: 'model',
  run(args) {
    const { values } = readOptions(args, { quick: { type: 'boolean' } });
    const random = createRandom(1);
    for (const [name, make] of Object.entries(CASES)) {
      const work = workload(values.quick ? JOBS.quick : JOBS.full, make, random);
      const begun = performance.now();
      for (const size of SIZES) simulate(work, { size, machine: MACHINE, sampleMs: 50 });
      console.log(`${name}: ${((performance.now() - begun) / 1000).toFixed(2)} s`);
    }
    return 0;
  },
};

/** Jobs a millisecond apart on average. */
function workload(count: number, make: MakeJob, random: Random): SimulatedWorkload {
  const [cpuMs, blockedMs, atMs] = [
    new Float64Array(count),
    new Float64Array(count),
    new Float64Array(count),
  ];
  const slow = new Uint8Array(count);
  let now = 0;
  for (let index = 0; index < count; index++) {
    now -= Math.log(1 - random.next());
    const job = make(index, random);
    atMs[index] = now;
    cpuMs[index] = job.cpu;
    blockedMs[index] = job.blocked ?? 0;
    slow[index] = Number(job.slow ?? false);
  }
  return {
    count,
    processes: 1,
    loopProcess: Int32Array.of(0),
    background: [],
    cpuMs,
    blockedMs,
    slow,
    atMs,
    loop: new Int32Array(count),
    parent: new Int32Array(count).fill(-1),
    direct: new Uint8Array(count),
    beforeMs: new Float64Array(count).fill(0.02),
    afterMs: new Float64Array(count).fill(0.02),
  };
}
