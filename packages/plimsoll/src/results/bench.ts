import { z } from 'zod';
import { LARGEST_POOL_SIZE } from '../libuv/pool-size.js';
import { environmentSchema } from './environment.js';
import { findingSchema } from './finding.js';

const milliseconds = z.number().nonnegative();
const ratio = z.number().positive();

export const verdictSchema = z
  .enum(['better', 'worse', 'same', 'unclear'])
  .describe('against the baseline, beyond the noise threshold; unclear when the data cannot carry a verdict');

const intervalSchema = z.tuple([ratio, ratio]);

export const runSchema = z.object({
  block: z.int().nonnegative(),
  order: z.int().nonnegative().describe('position within its block'),
  observedThreads: z
    .int()
    .nullable()
    .describe('pool threads counted in the process; null where they cannot be'),
  roundMs: milliseconds.describe('mean time of one round'),
  opsPerSecond: z.number().positive(),
  latencyMs: z
    .object({ p50: milliseconds, p99: milliseconds })
    .describe('of one call, from submission to callback'),
  cpuSeconds: z.number().nonnegative(),
  maxRssBytes: z.int().nonnegative(),
  eventLoopDelayMs: z
    .object({ p50: milliseconds, p99: milliseconds, max: milliseconds })
    .describe('how late a timer due at a random moment of the run fired'),
  unloadedLatencyMs: milliseconds.describe('median time of one operation with nothing else in flight'),
  disturbances: z
    .array(z.string())
    .describe('what the machine did to this run: steal, other-load, psi-io, not-steady …'),
  superseded: z.boolean().describe('its block was hit by noise and has been repeated; not used'),
});

export const noiseSchema = z.object({
  aaRatio: ratio.describe('baseline against its twin; 1 when nothing but noise differs'),
  aaInterval: intervalSchema,
  threshold: z
    .number()
    .positive()
    .describe('relative difference below which nothing is called better or worse'),
  noisy: z.boolean().describe('the twin itself differs: no ranking is given'),
});

export const sizeSchema = z.object({
  size: z.int().min(1).max(LARGEST_POOL_SIZE),
  observedThreads: z.int().nullable(),
  roundMs: milliseconds.describe('median of the runs'),
  ratio: ratio.describe('time at this size ÷ time at the baseline'),
  interval: intervalSchema,
  level: z.number().min(0).max(1).describe('exact coverage of the interval'),
  p: z.number().min(0).max(1).describe('signed-rank test, Holm-adjusted over the sizes'),
  verdict: verdictSchema,
  blocksToResolve: z
    .int()
    .nullable()
    .describe('more blocks that an unclear verdict is likely to need; null unknown'),
  probabilityOfBest: z.number().min(0).max(1),
  eventLoopDelayMs: z
    .object({ p50: milliseconds, p99: milliseconds, max: milliseconds })
    .describe('medians of the runs'),
  runs: z.array(runSchema),
});

const failureSchema = z.object({ code: z.string(), message: z.string() });

export const workloadSchema = z.object({
  name: z.string(),
  description: z.string(),
  operations: z.int().positive().nullable().describe('operations of one round; null when none was run'),
  parameters: z.record(z.string(), z.union([z.string(), z.number()])),
  rounds: z.int().positive().nullable().describe('measured rounds of one run'),
  blocks: z.int().nonnegative().describe('complete blocks that were used'),
  repeatedBlocks: z.int().nonnegative(),
  noise: noiseSchema.nullable(),
  twinRuns: z.array(runSchema).describe('the second run of the baseline in every block'),
  sizes: z.array(sizeSchema),
  best: z.int().nullable().describe('the size with the lowest estimated time'),
  recommended: z
    .int()
    .nullable()
    .describe(
      'the smallest size not distinguishable from the best in time and event-loop delay; null when not known, and when only one was measured',
    ),
  asGood: z.array(z.int()).describe('every size not distinguishable from the best'),
  higherEventLoopDelay: z
    .array(z.int())
    .describe('sizes as fast as the best, but with a higher event-loop delay'),
  confidence: z
    .enum(['proven', 'not distinguished'])
    .nullable()
    .describe('proven: shown to be as good as the best; not distinguished: no difference was found'),
  failure: failureSchema.nullable(),
});

export const benchSchema = z
  .object({
    schema: z.literal('plimsoll/1'),
    kind: z.literal('bench'),
    environment: environmentSchema,
    method: z.object({
      blocks: z.int().positive(),
      baseline: z.int(),
      sizes: z.array(z.int()),
      seed: z.int(),
      level: z.number(),
      dns: z
        .object({
          mode: z.enum(['system', 'local', 'hosts']),
          delayMs: z.number().nullable(),
          description: z.string(),
          requested: z.boolean().describe('it was asked for; else it is the first that works'),
          refused: z.array(z.string()).describe('why those before it in the order do not work here'),
          because: z.string().describe('the same in words'),
        })
        .nullable(),
      startedAt: z.iso.datetime(),
      seconds: z.number().nonnegative(),
      interrupted: z.boolean(),
    }),
    noise: noiseSchema.nullable().describe('of the noisiest workload'),
    workloads: z.array(workloadSchema),
    findings: z.array(findingSchema),
  })
  .describe('Result of plimsoll bench');

export type BenchResult = z.infer<typeof benchSchema>;
export type WorkloadResult = z.infer<typeof workloadSchema>;
export type SizeResult = z.infer<typeof sizeSchema>;
export type RunResult = z.infer<typeof runSchema>;
export type NoiseResult = z.infer<typeof noiseSchema>;
export type Verdict = z.infer<typeof verdictSchema>;
