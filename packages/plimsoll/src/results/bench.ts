import { z } from 'zod';
import { environmentSchema } from './environment.js';
import { findingSchema } from './finding.js';
import * as is from './parts.js';

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

export const roundSchema = z.object({
  generation: is.count,
  block: is.count.describe('within its generation'),
  order: is.count.describe('position within its block'),
  workMs: is.number.describe('mean time of the work, which a round does `repetitions` times'),
  opsPerSecond: is.ratio,
  latencyMs: z
    .object({ p50: is.number, p99: is.number })
    .describe('of one call, from submission to callback'),
  cpuSeconds: is.number,
  maxRssBytes: is.count.describe('the most that the process had held until then'),
  eventLoopDelayMs: is.delaySchema.describe('how late a timer due at a random moment of the round fired'),
});

export const noiseSchema = z.object({
  aaRatio: is.ratio.describe('baseline against its twin; 1 when nothing but noise differs'),
  aaInterval: is.orNull(is.intervalSchema, 'null with fewer than four generations'),
  noisy: z.boolean().describe('the twin itself differs: no ranking is given'),
});

export const sizeSchema = z.object({
  size: is.size,
  observedThreads: is.orNull(z.int(), 'pool threads counted in its processes; null where they cannot be'),
  workMs: is.number.describe('median of the rounds'),
  ratio: is.ratio.describe('time at this size ÷ time at the baseline'),
  interval: is.orNull(
    is.intervalSchema,
    'holds for all sizes and at all looks together; null with fewer than four generations',
  ),
  verdict: verdictSchema,
  expectedLoss: is.number.describe('by which share it is expected to be slower than the best size'),
  chanceSlower: is.chance.describe('the chance that it is more than 5 % slower than the best size'),
  eventLoopDelayMs: is.delaySchema.describe('medians of the rounds'),
  rounds: z.array(roundSchema),
});

export const workloadSchema = z.object({
  name: is.text,
  description: is.text,
  operations: is.orNull(is.positive, 'operations of one repetition; null when none was run'),
  parameters: z.record(is.text, z.union([is.text, z.number()])),
  unloadedLatencyMs: is.orNull(is.number, 'median time of one operation with nothing else in flight'),
  method: z
    .object({
      mode: modeSchema,
      fixed: is.text.nullable().default(null).describe('why pools could not be resized'),
      repetitions: is.positive.describe('of the work in one round'),
      blocks: is.positive.describe('rounds of every size in the first generation'),
      generations: is.count.describe('complete ones'),
      mostGenerations: is.positive.describe('that were expected at the most'),
      rounds: is.count.describe('of every size that are compared'),
      shares: z
        .array(is.chance)
        .default([])
        .describe('of the time, at the end of each generation; 1 at the last one'),
      seconds: is.number,
      stop: z
        .enum(['settled', 'time', 'generations', 'interrupted', 'failed'])
        .describe('why it ended: the answer was known, the time was up …'),
    })
    .nullable(),
  noise: noiseSchema.nullable(),
  disturbances: z
    .array(z.object({ generation: is.count, what: z.array(is.text) }))
    .describe('what the machine did meanwhile: steal, other-load. It hits all sizes alike'),
  twinRounds: is.listOf(roundSchema, 'the second round of the baseline in every block'),
  sizes: z.array(sizeSchema),
  lost: z
    .array(z.object({ size: z.int(), code: is.text, message: is.text }))
    .describe('sizes whose process died, hung or failed; the others went on without them'),
  recommended: is.orNull(
    z.int(),
    'the smallest size that is expected to be at most 2 % slower than the best, and is not shown to be slower than another one or to delay the event loop more; null when not known, and when only one was measured',
  ),
  asGood: is.listOf(
    z.int(),
    'every size that is not shown to be slower than another one or to delay the event loop more',
  ),
  higherEventLoopDelay: is.listOf(z.int(), 'sizes as fast as the best, but with a higher event-loop delay'),
  settled: z.boolean().describe('more generations are not likely to change what is recommended'),
  failure: z.object({ code: is.text, message: is.text }).nullable(),
});

export const benchSchema = is.resultSchema('bench', 'Result of plimsoll bench', {
  environment: environmentSchema,
  method: z.object({
    mode: modeSchema,
    timeMs: is.orNull(is.number, 'for each workload; null without a limit'),
    baseline: z.int(),
    sizes: z.array(z.int()),
    seed: z.int(),
    level: z.number(),
    dns: z
      .object({
        mode: z.enum(['local', 'hosts']),
        delayMs: z.number().nullable(),
        description: is.text,
        because: is.text.describe('why no better one could be had'),
      })
      .nullable(),
    startedAt: z.iso.datetime(),
    seconds: is.number,
    interrupted: z.boolean(),
  }),
  workloads: z.array(workloadSchema),
  findings: z.array(findingSchema),
});

export type BenchResult = z.infer<typeof benchSchema>;
export type WorkloadResult = z.infer<typeof workloadSchema>;
export type SizeResult = z.infer<typeof sizeSchema>;
export type RoundResult = z.infer<typeof roundSchema>;
export type Verdict = z.infer<typeof verdictSchema>;
