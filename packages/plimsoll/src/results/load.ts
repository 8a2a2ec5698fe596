import { z } from 'zod';
import { LARGEST_POOL_SIZE } from '../libuv/pool-size.js';
import { verdictSchema } from './bench.js';
import { environmentSchema } from './environment.js';
import { statementSchema } from './finding.js';

const milliseconds = z.number().nonnegative();
const count = z.int().nonnegative();

const summarySchema = z.object({
  count,
  min: milliseconds,
  max: milliseconds,
  mean: milliseconds,
  p50: milliseconds,
  p95: milliseconds,
  p99: milliseconds,
});

const latenessSchema = z.object({ p50: milliseconds, p99: milliseconds, max: milliseconds });

const metrics = {
  observedThreads: z
    .array(z.int().nullable())
    .describe('pool threads counted in each process; null where they cannot be'),
  operationMs: summarySchema
    .nullable()
    .describe(
      "latency of each operation from the start of its request; null for a server that is not plimsoll's",
    ),
  completionMs: summarySchema
    .nullable()
    .describe('from the first request of the run to the end of each operation; event-loop delay counts here'),
  httpMs: summarySchema
    .nullable()
    .describe('latency of the requests; of an open loop, from the moment at which each was to be sent'),
  bystanderMs: summarySchema
    .nullable()
    .describe(
      'latency of a trivial request asked at a fixed rate meanwhile, from the moment at which it was to be sent',
    ),
  eventLoopDelayMs: latenessSchema
    .nullable()
    .describe('how late a timer due at a random moment fired, in the process with the highest delay'),
  wallMs: milliseconds.describe(
    'from the first request to the end of the last operation, or of the last request',
  ),
  throughput: z
    .number()
    .nonnegative()
    .describe('operations a second; requests where operations are not known'),
  cpuSeconds: z.number().nonnegative().nullable().describe('of all processes of the server together'),
  maxRssBytes: count.nullable().describe('sum of the peaks of all processes of the server'),
  errors: count.describe('requests and operations that failed, and operations lost with a process that died'),
};

export const loadRunSchema = z.object({
  sequence: count.describe('place among all runs of its table'),
  block: count,
  order: count.describe('position within its block'),
  twin: z.boolean().describe('the second run of the baseline in its block'),
  ...metrics,
  firstFailure: z.string().nullable(),
  sent: count,
  sentLate: count.describe('requests that left more than 2 ms after their time'),
  dropped: count.describe('requests that were not sent because too many were under way'),
  unfinished: count.describe('requests without an answer at the end; their age counts as their latency'),
  generator: z
    .object({ lagP99Ms: milliseconds.nullable(), utilization: z.number().min(0).max(1) })
    .describe('health of the client: how late its requests left, and how busy its event loop was'),
  problems: z
    .array(z.string())
    .describe('what the run itself showed: errors, worker-died, generator-bound …'),
  disturbances: z.array(z.string()).describe('what the machine did to it: steal, other-load, psi-io …'),
  superseded: z.boolean().describe('its block was hit by noise and has been repeated; not used'),
});

const tableSchema = z.object({
  mode: z.enum(['node', 'cluster', 'pm2-fork', 'pm2-cluster', 'command', 'url']),
  instances: z.int().positive(),
  case: z.string(),
  parallel: z.int().positive().nullable().describe('clients of a closed loop; null for an open one'),
  requests: z.int().positive().nullable().describe('requests of each client, one after another'),
  rate: z.number().positive().nullable().describe('requests a second of an open loop'),
  durationSeconds: z.number().positive().nullable(),
});

export const loadCellSchema = z.object({
  ...tableSchema.shape,
  operationsPerRequest: z.int().positive().nullable(),
  size: z
    .int()
    .min(1)
    .max(LARGEST_POOL_SIZE)
    .nullable()
    .describe('null for a server that somebody else started'),
  ...metrics,
  problems: z.array(z.string()).describe('of the runs that were used'),
  blocks: count.describe('complete blocks that the comparison rests on'),
  ratio: z.number().positive().nullable().describe('time at this size ÷ time at the baseline'),
  interval: z.tuple([z.number().positive(), z.number().positive()]).nullable(),
  level: z.number().min(0).max(1).nullable().describe('exact coverage of the interval'),
  p: z.number().min(0).max(1).nullable().describe('signed-rank test, Holm-adjusted over the sizes'),
  verdict: verdictSchema.nullable(),
  runs: z.array(loadRunSchema),
});

export const recommendationSchema = z.object({
  mode: loadCellSchema.shape.mode,
  instances: z.int().positive(),
  case: z.string(),
  size: z
    .int()
    .nullable()
    .describe('the smallest size that is as good as the best, bystander included; null when not known'),
  estimate: z.int().nullable().describe('the size that too few blocks lean to'),
  best: z.int().nullable().describe('the size with the lowest estimated time'),
  asGood: z.array(z.int()),
  higherBystanderLatency: z
    .array(z.int())
    .describe('sizes as fast as the best, at which the bystander waits longer (p99)'),
  confidence: z.enum(['proven', 'not distinguished']).nullable(),
  noisy: z.boolean(),
  because: z.string().describe('the reasons in one sentence'),
  reasons: z.array(statementSchema),
});

export const loadSchema = z
  .object({
    schema: z.literal('plimsoll/1'),
    kind: z.literal('load'),
    environment: environmentSchema,
    method: z.object({
      target: z.enum(['sample', 'command', 'url']),
      tables: z.array(tableSchema),
      operation: z.string().nullable().describe('of the sample server'),
      bystanderRate: z.number().positive().nullable(),
      blocks: z.int().positive(),
      baseline: z.int().nullable(),
      sizes: z.array(z.int()),
      seed: z.int(),
      comparedBy: z
        .array(z.enum(['completionMs.mean', 'httpMs.mean', 'httpMs.p99']))
        .describe('what sizes are compared by: fields of a cell, one for each kind of traffic'),
      startedAt: z.iso.datetime(),
      seconds: z
        .number()
        .nonnegative()
        .describe('of measuring, those of an interrupted earlier part included'),
      interrupted: z.boolean(),
    }),
    cells: z.array(loadCellSchema),
    recommended: z.array(recommendationSchema),
    failures: z.array(
      z.object({ mode: loadCellSchema.shape.mode, case: z.string(), code: z.string(), message: z.string() }),
    ),
  })
  .describe('Result of plimsoll load');

export type LoadResult = z.infer<typeof loadSchema>;
export type LoadCell = z.infer<typeof loadCellSchema>;
export type LoadRun = z.infer<typeof loadRunSchema>;
export type LoadRecommendation = z.infer<typeof recommendationSchema>;
