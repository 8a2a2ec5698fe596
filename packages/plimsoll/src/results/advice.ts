import { z } from 'zod';
import { LARGEST_POOL_SIZE } from '../libuv/pool-size.js';
import { environmentSchema } from './environment.js';
import { findingSchema, statementSchema } from './finding.js';

const milliseconds = z.number().nonnegative();
const count = z.int().nonnegative();
const size = z.int().min(1).max(LARGEST_POOL_SIZE);

const noiseSchema = z.object({
  aaRatio: z.number().positive().describe('baseline against its twin; 1 when nothing but noise differs'),
  aaInterval: z.tuple([z.number().positive(), z.number().positive()]),
  threshold: z.number().positive().describe('relative difference below which nothing counts'),
  noisy: z.boolean().describe('the twin itself differs: nothing can be told'),
});

export const objectives = ['mean', 'p99', 'throughput', 'makespan'] as const;

export type Objective = (typeof objectives)[number];

const measures = {
  queueWaitMs: z
    .object({ mean: milliseconds, p99: milliseconds })
    .describe('from submission until a pool thread begins'),
  latencyMs: z
    .object({ mean: milliseconds, p50: milliseconds, p95: milliseconds, p99: milliseconds })
    .describe('from submission until the event loop takes the result'),
  makespanMs: milliseconds.describe('from the first submission to the last result'),
  jobsPerSecond: z.number().nonnegative(),
  utilization: z.number().min(0).max(1).describe("of the pool's threads"),
  eventLoopDelayMs: z
    .object({ p99: milliseconds })
    .describe('how late an event loop takes up something small'),
  memoryBytes: count.describe('of the threads of all pools, once they have run'),
};

const latency = z.object({ mean: milliseconds, p50: milliseconds, p95: milliseconds, p99: milliseconds });

export const requestsSchema = z.object({
  latencyMs: latency.describe(
    'from when the event loop takes a request up until the end of its answer; of a run as long as the recorded one when isOverloaded',
  ),
  perSecond: z.number().nonnegative().describe('requests answered a second'),
  isOverloaded: z
    .boolean()
    .describe(
      'requests come faster than they can be served: the queue grows for ever, and latencies with it',
    ),
  routes: z
    .array(
      z
        .object({ route: z.string(), count, latencyMs: latency, perSecond: z.number().nonnegative() })
        .readonly(),
    )
    .readonly(),
});

export const operationSchema = z.object({
  name: z.string(),
  count,
  latencyMs: z.object({ mean: milliseconds, p99: milliseconds }),
});

const felt = {
  requests: requestsSchema.nullable().describe('null when the program was asked nothing'),
  operations: z
    .array(operationSchema)
    .readonly()
    .describe('what the program called, by name, the most frequent first; empty where that was not recorded'),
};

export const measuresSchema = z.object({ ...measures, ...felt });

export const predictionSchema = z.object({
  size,
  ...measures,
  ...felt,
  low: measuresSchema.describe('the near end of the band'),
  high: measuresSchema.describe('the far end of the band'),
  pessimistic: measuresSchema
    .nullable()
    .describe(
      'when what jobs were blocked on serves no more of them at a time than it was seen to; null when nothing was blocked',
    ),
});

const share = z.object({ mean: milliseconds, p99: milliseconds });

export const budgetSchema = z
  .object({
    queueWaitMs: share.describe('waiting for a pool thread'),
    coreWaitMs: share.describe('waiting for a core'),
    cpuMs: share.describe('computing'),
    blockedMs: share.describe('on a thread, but neither computing nor waiting for a core'),
    eventLoopMs: share.describe('waiting for the event loop'),
  })
  .describe('where the time of the recorded jobs went');

export const comparedSchema = z.object({
  latencyMs: z.object({ mean: z.number(), p99: z.number() }),
  makespanMs: z.number(),
  jobsPerSecond: z.number(),
  requests: z
    .object({
      latencyMs: z.object({ mean: z.number(), p99: z.number() }),
      perSecond: z.number(),
    })
    .nullable()
    .describe('null when there were none'),
});

export const whatIfSchema = z
  .object({
    cores: z.number().positive().nullable(),
    quota: z.number().positive().nullable().describe('CPU quota in cores'),
    without: z.array(z.string()).readonly().describe('kinds of jobs that are not there'),
    faster: z
      .array(z.object({ kind: z.string(), factor: z.number().positive() }).readonly())
      .readonly()
      .describe('kinds of jobs that are so many times as fast'),
    instances: z.int().positive().nullable().describe('processes, each with a pool of its own'),
  })
  .readonly()
  .describe('changes to what was recorded; null and empty for none');

export const adviceSchema = z
  .object({
    schema: z.literal('plimsoll/1'),
    kind: z.literal('advice'),
    environment: environmentSchema,
    trace: z.object({
      command: z.array(z.string()),
      jobs: count,
      processes: z.int().positive(),
      durationMs: milliseconds,
      size,
      byKind: z.array(z.object({ kind: z.string(), jobs: count, latencyMs: share, budget: budgetSchema })),
      budget: budgetSchema,
      requests: z
        .object({
          count,
          unanswered: count.describe('aborted, upgraded or under way when the recording ended'),
          unsampled: count.describe('of which only arrival and end were recorded'),
          fromClients: count.describe('from clients who wait for an answer before they ask again'),
          measured: requestsSchema
            .nullable()
            .describe('what the recorded ones came to; null when none was answered'),
        })
        .nullable()
        .describe('null when the program was asked nothing'),
      operations: z.array(operationSchema).readonly().describe('what the recorded ones took'),
      notes: z.array(z.object({ id: z.string(), text: z.string() })),
    }),
    method: z.object({
      objective: z.enum(objectives),
      sizes: z.array(size),
      seed: z.int(),
      resamples: count.describe('runs as they might have been, from which the bands come'),
      cores: z.number().positive(),
      quotaCores: z.number().positive().nullable(),
      otherThreadsCores: z.number().nonnegative().describe('cores that other threads of the processes use'),
      outsideCores: z
        .number()
        .nonnegative()
        .describe(
          'cores that others on the machine, or other machines, had: counted, or as far as jobs felt it',
        ),
      timeSliceMs: milliseconds.describe('how long a thread keeps a core that others wait for'),
      wakeUpMs: milliseconds.describe('from a signal to a sleeping thread until it runs'),
      seconds: z.number().nonnegative().describe('that predicting took'),
      whatIf: whatIfSchema,
    }),
    predictions: z.array(predictionSchema),
    recommended: z.object({
      size,
      confidence: z.enum(['high', 'medium', 'low']),
      because: z.string().describe('the reasons in one sentence'),
      reasons: z.array(statementSchema),
    }),
    findings: z.array(findingSchema).describe('what no pool size will fix'),
    verification: z.array(
      z.object({
        size,
        runs: z.int().positive(),
        predicted: comparedSchema,
        measured: comparedSchema.describe('medians of the runs'),
        relativeError: comparedSchema.describe('predicted ÷ measured − 1'),
        inBand: z.object({ mean: z.boolean(), p99: z.boolean(), makespan: z.boolean() }),
        requestsInBand: z
          .object({ mean: z.boolean(), p99: z.boolean(), perSecond: z.boolean() })
          .nullable()
          .describe('null when no request was answered'),
      }),
    ),
    verificationNoise: noiseSchema
      .nullable()
      .describe(
        'mean latency of the smallest verified size against its twin; null when nothing was verified',
      ),
  })
  .describe('Result of plimsoll advise');

export type Advice = z.infer<typeof adviceSchema>;
export type Prediction = z.infer<typeof predictionSchema>;
export type PredictedMeasures = z.infer<typeof measuresSchema>;
export type PredictedRequests = z.infer<typeof requestsSchema>;
export type PredictedOperation = z.infer<typeof operationSchema>;
export type Budget = z.infer<typeof budgetSchema>;
export type Compared = z.infer<typeof comparedSchema>;
export type Verification = Advice['verification'][number];
/** Changes to what was recorded; `quota` is in cores, `instances` are processes. */
export type WhatIf = z.infer<typeof whatIfSchema>;
export type VerificationNoise = z.infer<typeof noiseSchema>;
