import { LARGEST_POOL_SIZE } from '@plimsoll/lab';
import { environmentSchema, noiseSchema, statementSchema, verdictSchema } from '@plimsoll/lab/schemas';
import { z } from 'zod';

const milliseconds = z.number().nonnegative();
const count = z.int().nonnegative();
const share = z.number().min(0).max(1);

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
    .describe(
      'from the first request of the slice to the end of each operation; event-loop delay counts here',
    ),
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

export const loadRoundSchema = z.object({
  generation: count,
  block: count.describe('within its generation'),
  order: count.describe('position within its block'),
  twin: z.boolean().describe('the second slice of the baseline in its block'),
  ...metrics,
  firstFailure: z.string().nullable(),
  sent: count,
  sentLate: count.describe('requests that left more than 2 ms after their time'),
  dropped: count.describe('requests that were not sent because too many were under way'),
  unfinished: count.describe('requests without an answer at the end; their age counts as their latency'),
  generator: z
    .object({ lagP99Ms: milliseconds.nullable(), utilization: z.number().min(0).max(1) })
    .describe('health of the client: how late its requests left, and how busy its event loop was'),
  problems: z.array(z.string()).describe('what the slice itself showed: errors, dropped, generator-bound …'),
  disturbances: z.array(z.string()).describe('what the machine did to it: steal, other-load, psi-io …'),
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
  problems: z
    .array(z.string())
    .describe(
      'of any of its slices; generator-bound only when half of them were, as the figures are medians',
    ),
  generations: count.describe('that the comparison rests on'),
  ratio: z.number().positive().nullable().describe('time at this size ÷ time at the baseline'),
  interval: z
    .tuple([z.number().positive(), z.number().positive()])
    .nullable()
    .describe('holds for all sizes and at all looks together; null after one generation'),
  verdict: verdictSchema.nullable(),
  probabilityOfBest: share.nullable(),
  expectedLoss: z
    .number()
    .nonnegative()
    .nullable()
    .describe('by which share it is expected to be slower than the best size'),
  chanceSlower: share.nullable().describe('the chance that it is more than 5 % slower than the best size'),
  rounds: z.array(loadRoundSchema),
});

/** How one table was measured. */
export const loadTableSchema = z.object({
  mode: loadCellSchema.shape.mode,
  instances: z.int().positive(),
  case: z.string(),
  method: z.object({
    mode: z
      .enum(['alternating', 'isolated'])
      .describe(
        'alternating: servers of all sizes live at the same time and take turns by slices of the traffic; isolated: one server at a time',
      ),
    requests: z.int().positive().nullable().describe('of each client in a slice; null for an open loop'),
    sliceSeconds: z
      .number()
      .positive()
      .nullable()
      .describe('of an open loop in a slice; null for a closed one'),
    blocks: z.int().positive().describe('slices of every size in a generation'),
    generations: count.describe('complete ones'),
    mostGenerations: z.int().positive().describe('until then the intervals hold, at every look'),
    rounds: count.describe('slices of every size'),
    looks: count.describe('how often it was asked whether the answer is known'),
    seconds: z.number().nonnegative(),
    stop: z
      .enum(['settled', 'time', 'generations', 'interrupted', 'failed'])
      .describe('why it ended: the answer was known, the time was up …'),
  }),
  noise: noiseSchema.nullable(),
  lost: z
    .array(z.object({ size: z.int(), code: z.string(), message: z.string() }))
    .describe('sizes whose server died, hung or failed; the others went on without them'),
});

export const recommendationSchema = z.object({
  mode: loadCellSchema.shape.mode,
  instances: z.int().positive(),
  case: z.string(),
  size: z
    .int()
    .nullable()
    .describe(
      'the smallest size that is expected to be at most 2 % slower than the best, and is not shown to be slower than another one or to make the bystander wait longer; null when not known',
    ),
  estimate: z.int().nullable().describe('the size that too few generations lean to'),
  best: z.int().nullable().describe('the size with the lowest estimated time'),
  asGood: z.array(z.int()),
  higherBystanderLatency: z
    .array(z.int())
    .describe('sizes as fast as the best, at which the bystander waits longer (p99)'),
  settled: z.boolean().describe('more generations are not likely to change what is recommended'),
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
      timeMs: milliseconds.nullable().describe('for each table; null without a limit'),
      blocks: z.int().positive().describe('the most generations where one server at a time is measured'),
      baseline: z.int().nullable(),
      sizes: z.array(z.int()),
      seed: z.int(),
      level: z.number(),
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
    tables: z.array(loadTableSchema).describe('how each table was measured'),
    cells: z.array(loadCellSchema),
    recommended: z.array(recommendationSchema),
    failures: z.array(
      z.object({ mode: loadCellSchema.shape.mode, case: z.string(), code: z.string(), message: z.string() }),
    ),
  })
  .describe('Result of npm run load');

export type LoadResult = z.infer<typeof loadSchema>;
export type LoadCell = z.infer<typeof loadCellSchema>;
export type LoadRound = z.infer<typeof loadRoundSchema>;
export type LoadTable = z.infer<typeof loadTableSchema>;
export type LoadRecommendation = z.infer<typeof recommendationSchema>;
