import { z } from 'zod';
import { LARGEST_POOL_SIZE } from '../libuv/pool-size.js';
import { environmentSchema } from './environment.js';
import { findingSchema } from './finding.js';

const milliseconds = z.number().nonnegative();
const ratio = z.number().positive();

export const verdictSchema = z
  .enum(['better', 'worse', 'same', 'unclear'])
  .describe(
    'against the baseline: better or worse when the interval leaves out 1, same when it lies within 3 % of 1, else unclear',
  );

const modeSchema = z
  .enum(['resized', 'alternating', 'isolated'])
  .describe(
    'resized: one process at a time has all sizes in turn, by short rounds; alternating: live processes of all sizes take turns; isolated: one process for each round',
  );

const intervalSchema = z.tuple([ratio, ratio]);

export const roundSchema = z.object({
  generation: z.int().nonnegative(),
  block: z.int().nonnegative().describe('within its generation'),
  order: z.int().nonnegative().describe('position within its block'),
  workMs: milliseconds.describe('mean time of the work, which a round does `repetitions` times'),
  opsPerSecond: z.number().positive(),
  latencyMs: z
    .object({ p50: milliseconds, p99: milliseconds })
    .describe('of one call, from submission to callback'),
  cpuSeconds: z.number().nonnegative(),
  maxRssBytes: z.int().nonnegative().describe('the most that the process had held until then'),
  eventLoopDelayMs: z
    .object({ p50: milliseconds, p99: milliseconds, max: milliseconds })
    .describe('how late a timer due at a random moment of the round fired'),
});

export const noiseSchema = z.object({
  aaRatio: ratio.describe('baseline against its twin; 1 when nothing but noise differs'),
  aaInterval: intervalSchema.nullable().describe('null with fewer than four generations'),
  noisy: z.boolean().describe('the twin itself differs: no ranking is given'),
});

export const sizeSchema = z.object({
  size: z.int().min(1).max(LARGEST_POOL_SIZE),
  observedThreads: z
    .int()
    .nullable()
    .describe('pool threads counted in its processes; null where they cannot be'),
  workMs: milliseconds.describe('median of the rounds'),
  ratio: ratio.describe('time at this size ÷ time at the baseline'),
  interval: intervalSchema
    .nullable()
    .describe('holds for all sizes and at all looks together; null with fewer than four generations'),
  verdict: verdictSchema,
  probabilityOfBest: z.number().min(0).max(1),
  expectedLoss: z
    .number()
    .nonnegative()
    .describe('by which share it is expected to be slower than the best size'),
  chanceSlower: z
    .number()
    .min(0)
    .max(1)
    .describe('the chance that it is more than 5 % slower than the best size'),
  eventLoopDelayMs: z
    .object({ p50: milliseconds, p99: milliseconds, max: milliseconds })
    .describe('medians of the rounds'),
  rounds: z.array(roundSchema),
});

const failureSchema = z.object({ code: z.string(), message: z.string() });

export const workloadSchema = z.object({
  name: z.string(),
  description: z.string(),
  operations: z.int().positive().nullable().describe('operations of one repetition; null when none was run'),
  parameters: z.record(z.string(), z.union([z.string(), z.number()])),
  unloadedLatencyMs: milliseconds
    .nullable()
    .describe('median time of one operation with nothing else in flight'),
  method: z
    .object({
      mode: modeSchema,
      fixed: z.string().nullable().default(null).describe('why pools could not be resized'),
      repetitions: z.int().positive().describe('of the work in one round'),
      blocks: z.int().positive().describe('rounds of every size in the first generation'),
      generations: z.int().nonnegative().describe('complete ones'),
      mostGenerations: z.int().positive().describe('that were expected at the most'),
      rounds: z.int().nonnegative().describe('of every size that are compared'),
      looks: z.int().nonnegative().describe('how often it was asked whether the answer is known'),
      shares: z
        .array(z.number().min(0).max(1))
        .default([])
        .describe('of the time, at the end of each generation; 1 at the last one'),
      seconds: z.number().nonnegative(),
      stop: z
        .enum(['settled', 'time', 'generations', 'interrupted', 'failed'])
        .describe('why it ended: the answer was known, the time was up …'),
    })
    .nullable(),
  noise: noiseSchema.nullable(),
  disturbances: z
    .array(z.object({ generation: z.int().nonnegative(), what: z.array(z.string()) }))
    .describe('what the machine did meanwhile: steal, other-load, psi-io … It hits all sizes alike'),
  twinRounds: z.array(roundSchema).describe('the second round of the baseline in every block'),
  sizes: z.array(sizeSchema),
  lost: z
    .array(z.object({ size: z.int(), code: z.string(), message: z.string() }))
    .describe('sizes whose process died, hung or failed; the others went on without them'),
  best: z.int().nullable().describe('the size with the lowest estimated time'),
  recommended: z
    .int()
    .nullable()
    .describe(
      'the smallest size that is expected to be at most 2 % slower than the best, and is not shown to be slower than another one or to delay the event loop more; null when not known, and when only one was measured',
    ),
  asGood: z
    .array(z.int())
    .describe('every size that is not shown to be slower than another one or to delay the event loop more'),
  higherEventLoopDelay: z
    .array(z.int())
    .describe('sizes as fast as the best, but with a higher event-loop delay'),
  settled: z.boolean().describe('more generations are not likely to change what is recommended'),
  failure: failureSchema.nullable(),
});

export const benchSchema = z
  .object({
    schema: z.literal('plimsoll/1'),
    kind: z.literal('bench'),
    environment: environmentSchema,
    method: z.object({
      mode: modeSchema,
      timeMs: milliseconds.nullable().describe('for each workload; null without a limit'),
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
    workloads: z.array(workloadSchema),
    findings: z.array(findingSchema),
  })
  .describe('Result of plimsoll bench');

export type BenchResult = z.infer<typeof benchSchema>;
export type WorkloadResult = z.infer<typeof workloadSchema>;
export type SizeResult = z.infer<typeof sizeSchema>;
export type RoundResult = z.infer<typeof roundSchema>;

export type Verdict = z.infer<typeof verdictSchema>;
