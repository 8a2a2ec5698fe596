import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Calibrated, calibrate } from '#plimsoll/advise/calibrate.js';
import { estimate } from '#plimsoll/advise/estimate.js';
import type { Machine } from '#plimsoll/model/machine.js';
import type { Trace } from '#plimsoll/results/trace.js';
import { createRandom } from '#plimsoll/stats/random.js';
import { traceOf } from '../support/trace.js';
import { AMPLE, type SimpleJob } from '../support/workload.js';

const MACHINE: Machine = { ...AMPLE, cores: 2 };
const SIZE = 4;

/** Hashes of 6 to 10 ms at random moments, cores busy for six tenths of the time. */
const random = createRandom(11);
let at = 0;
const hashes: SimpleJob[] = Array.from({ length: 600 }, () => {
  at -= Math.log(1 - random.next()) * (8 / 1.2);
  return { at, cpu: 6 + 4 * random.next() };
});
const kinds = hashes.map(() => 'crypto');

/** A run on `machine`; the cores did this much beside it, or nobody counted. */
function recorded(machine: Machine, besideCores: number | null): Trace {
  const trace = traceOf(hashes, kinds, SIZE, machine);
  const processes = trace.processes.map((one) => ({
    ...one,
    usage: one.usage.map((interval) => {
      const length = interval.toMs - interval.fromMs;
      const own = interval.eventLoop.cpuMs + interval.pool.cpuMs + interval.other.cpuMs;
      const cores =
        besideCores === null
          ? null
          : { busyMs: own + (besideCores / 2) * length, stolenMs: (besideCores / 2) * length };
      return { ...interval, cores };
    }),
  }));
  return { ...trace, processes };
}

const found = (trace: Trace): Calibrated => calibrate(estimate(trace), MACHINE, 1);

describe('what the recorded run is made to tell of the machine', () => {
  test('what others had of the cores is counted, stolen time with it', () => {
    const { outsideCores, machine } = found(recorded(MACHINE, 0.5));
    assert.ok(Math.abs(outsideCores - 0.5) < 0.02, `${outsideCores}`);
    assert.equal(machine.otherCores, outsideCores);
  });

  test('others never have all of the cores', () => {
    const { machine } = found(recorded(MACHINE, 9));
    assert.ok(machine.otherCores < MACHINE.cores);
  });

  test('where nobody counted, the waits for a core tell of others', () => {
    const of = (otherCores: number): number => found(recorded({ ...MACHINE, otherCores }, null)).outsideCores;
    const [alone, shared] = [of(0), of(0.6)];
    assert.ok(alone < 0.25 && shared > alone + 0.25, `${alone} and ${shared}`);
  });
});
