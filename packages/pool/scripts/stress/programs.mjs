import { performance } from 'node:perf_hooks';
import { BurstProgram } from './burst-program.mjs';
import { realPools, simulatedPools } from './pools.mjs';
import { Program } from './program.mjs';

const EVERY = 60_000;

/** Seeds of programs with bursts, modulo 8. The programs of all others are older, and `programs.test.ts` names some. */
const BURSTS = [3, 4];

/** @param newPool of `pools.mjs`; with `isReal` its pools have threads */
export async function runProgram(newPool, seed, isReal = false) {
  const Kind = BURSTS.includes(seed % 8) ? BurstProgram : Program;
  const program = new Kind(newPool, seed, isReal);
  try {
    await program.run();
  } catch (error) {
    program.fault(`threw ${error?.stack ?? error}`);
  } finally {
    program.drop();
  }
  return program;
}

/** Runs one random program after another, those of the seeds from `first` on. Gives those that went wrong. */
export async function runPrograms({ count, first = 0, isReal = false, onProgress = () => {} }) {
  const newPools = isReal ? realPools : simulatedPools;
  let newPool = await newPools();
  const begin = performance.now();
  const wrong = [];
  let told = begin;
  for (let seed = first; seed < first + count; seed++) {
    const { faults, log } = await runProgram(newPool, seed, isReal);
    if (faults.length > 0) {
      wrong.push({ seed, faults, log });
      // What is left of it shall not keep others busy.
      newPool = await newPools();
    }
    if (performance.now() - told < EVERY) continue;
    told = performance.now();
    onProgress(seed - first + 1, wrong.length);
  }
  return { seconds: (performance.now() - begin) / 1000, wrong };
}
