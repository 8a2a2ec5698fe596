import { z } from 'zod';
import { LARGEST_POOL_SIZE } from '../libuv/pool-size.js';
import { verdictSchema } from './bench.js';
import { environmentSchema } from './environment.js';
import { findingSchema } from './finding.js';

const milliseconds = z.number().nonnegative();
const count = z.int().nonnegative();
const size = z.int().min(1).max(LARGEST_POOL_SIZE);
const ratio = z.number().positive();
const chance = z.number().min(0).max(1);
const intervalSchema = z.tuple([ratio, ratio]);

export const tuneObjectives = ['mean', 'p99', 'throughput'] as const;

const routeSchema = z.object({
  route: z.string().describe('method and pattern of the path, or the name of a mark'),
  requests: count,
  meanMs: milliseconds,
  ratio: ratio
    .nullable()
    .describe('mean latency ÷ that at the baseline; null when there are too few requests'),
  slower: z
    .enum(['no', 'maybe', 'yes'])
    .describe('more than 10 % slower than at the baseline: yes when that is hardly chance'),
});

const roundSchema = z.object({
  block: count,
  order: count.describe('place in its block'),
  twin: z.boolean().describe('it is the second turn of the baseline'),
  seconds: z.number().nonnegative(),
  requests: count,
  meanMs: milliseconds
    .nullable()
    .describe('routes weighted by their share of the whole run; wall time of a command'),
  perSecond: z.number().nonnegative(),
  disturbed: z.boolean().describe('not compared'),
});

export const tunedSizeSchema = z.object({
  size,
  ratio: z
    .object({ mean: ratio.nullable(), p99: ratio.nullable(), throughput: ratio.nullable() })
    .describe(
      '÷ the baseline: below 1 is better of latencies, above 1 of requests per second; null when not known',
    ),
  interval: intervalSchema
    .nullable()
    .describe(
      'of the ratio of the objective; holds for all sizes and looks together; null with fewer than four blocks',
    ),
  verdict: verdictSchema.describe('by the objective, against the baseline'),
  chanceSlower: chance.nullable().describe('the chance that it is more than 5 % worse than the best size'),
  meanMs: milliseconds
    .nullable()
    .describe('of a request, routes weighted by their share; wall time of a command'),
  p99Ms: milliseconds.nullable(),
  perSecond: z.number().nonnegative().describe('requests, or runs'),
  loopDelayMs: z
    .object({ p99: milliseconds })
    .nullable()
    .describe('how late a timer fired; median of the windows; null of a command'),
  queueWaitMs: z
    .object({ fast: milliseconds.nullable(), slow: milliseconds.nullable() })
    .describe('mean wait of a job for a pool thread: file calls (fast), lookups (slow)'),
  cpu: z.object({
    cores: z.number().nonnegative().nullable().describe('that the app kept busy'),
    machineCores: z.number().nonnegative().nullable().describe('that were busy in all'),
  }),
  busyThreads: z.number().nonnegative().nullable().describe('mean number of pool threads with a job'),
  requests: count.describe('requests, or runs, that are compared'),
  failed: count,
  blocks: count.describe('in which it is compared'),
  routes: z.array(routeSchema).describe('the most frequent first'),
  overloaded: z.boolean().describe('it does not keep up with the requests that come: no latency is compared'),
  failing: z.boolean().describe('clearly more requests fail than at the baseline'),
  leftEarly: z.boolean().describe('so much worse that it got no more time'),
  higherLoopDelay: z.boolean().describe('no faster than another size, with a higher event-loop delay'),
  higherP99: z.boolean().describe('no faster than another size, with a higher 99th percentile'),
  rounds: z.array(roundSchema).describe('every window, or every run'),
});

export const tuneSchema = z
  .object({
    schema: z.literal('plimsoll/1'),
    kind: z.literal('tune'),
    environment: environmentSchema,
    command: z.array(z.string()).nullable().describe('null when a running process was measured'),
    pid: z.int().positive().nullable().describe('of the process that ran already'),
    recommended: size.nullable().describe('null when it cannot be told'),
    baseline: size,
    confidence: z.enum(['sure', 'likely', 'cannot tell']),
    answer: z
      .enum(['change', 'keep', 'no difference', 'no pool use', 'cannot tell'])
      .describe('change: another size than the baseline; no difference: sizes are within 3 % of each other'),
    headline: z.string().describe('the answer in a sentence'),
    objective: z.enum(tuneObjectives),
    sizes: z.array(tunedSizeSchema).describe('in ascending order'),
    twin: z
      .object({
        ratio,
        interval: intervalSchema.nullable(),
        noisy: z.boolean().describe('the baseline differs from itself: nothing can be told'),
        blocks: count,
      })
      .nullable()
      .describe('the baseline a second time, against itself; null without a complete block'),
    method: z.object({
      mode: z
        .enum(['live', 'attached', 'runs'])
        .describe(
          'windows of a server that plimsoll started, or that ran already; or runs of a command that ends',
        ),
      unit: z.enum(['request', 'run']),
      sizes: z.array(size),
      seed: z.int(),
      level: z.number(),
      timeMs: milliseconds.describe('the most that was allowed'),
      blocks: count,
      windows: count.describe('or runs'),
      openStream: z.boolean().describe('requests come at a rate of their own, whatever the size'),
      traffic: z.string().nullable().describe('who sent the requests: a command, URLs; null: whoever did'),
      resizing: z
        .enum(['threads', 'parking'])
        .nullable()
        .describe('how the size was changed; null with fresh processes'),
      processes: z.int().positive().nullable().describe('that changed their size together'),
      startedAt: z.iso.datetime(),
      seconds: z.number().nonnegative(),
      stop: z.enum(['settled', 'time', 'interrupted']).describe('why it ended: the answer was known …'),
    }),
    findings: z.array(findingSchema),
  })
  .describe('Result of plimsoll tune');

export type TuneResult = z.infer<typeof tuneSchema>;
export type TunedSize = z.infer<typeof tunedSizeSchema>;
export type TunedRoute = z.infer<typeof routeSchema>;
export type TuneRound = z.infer<typeof roundSchema>;
