import { tmpdir } from 'node:os';
import { type BenchResult, benchSchema } from 'plimsoll';
import { captureEnvironment } from '#plimsoll/host/environment.js';

export const environment = captureEnvironment({ directory: tmpdir() });

const delay = { p50: 0, p99: 1, max: 2 };

type Workload = BenchResult['workloads'][number];

/** Times of one size: the rounds of each generation, in milliseconds. */
export type Times = readonly (readonly number[])[];

const rounds = (times: Times): Workload['twinRounds'] =>
  times.flatMap((own, generation) =>
    own.map((workMs, block) => ({
      ...{ generation, block, order: 0, workMs, opsPerSecond: 1, cpuSeconds: 1, maxRssBytes: 1 },
      ...{ latencyMs: { p50: 1, p99: 2 }, eventLoopDelayMs: delay },
    })),
  );

/** A workload with these times; the baseline is 4, and its twin has its times. */
export function workload(
  name: string,
  sizes: ReadonlyMap<number, Times>,
  rest: Partial<Workload> = {},
): Workload {
  return {
    name,
    description: `${name}, some of it`,
    operations: 16,
    parameters: { operations: 16 },
    unloadedLatencyMs: 1,
    method: null,
    noise: { aaRatio: 1, aaInterval: null, noisy: false },
    disturbances: [],
    twinRounds: rounds(sizes.get(4) ?? []),
    sizes: [...sizes].map(([size, times]) => ({
      ...{ size, observedThreads: size, workMs: 1, ratio: 1, interval: null, verdict: 'unclear' },
      ...{ expectedLoss: 0, chanceSlower: 0, eventLoopDelayMs: delay },
      rounds: rounds(times),
    })),
    lost: [],
    ...{ recommended: 4, asGood: [4], higherEventLoopDelay: [], settled: true, failure: null },
    ...rest,
  };
}

export const bench = (workloads: readonly Workload[], rest: Partial<BenchResult> = {}): BenchResult =>
  benchSchema.parse({
    ...{ schema: 'plimsoll/1', kind: 'bench', environment, workloads, findings: [] },
    method: {
      ...{ mode: 'alternating', timeMs: 20_000, baseline: 4, sizes: [4, 8], seed: 1, level: 0.95 },
      ...{ dns: null, startedAt: '2026-01-02T03:04:05.678Z', seconds: 20, interrupted: false },
    },
    ...rest,
  });

/** So many generations of three rounds whose centres are these. */
export const generations = (centres: readonly number[]): Times =>
  centres.map((centre) => [centre * 0.99, centre, centre * 1.01]);
