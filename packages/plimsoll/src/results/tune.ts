import { z } from 'zod';
import { verdictSchema } from './bench.js';
import { environmentSchema } from './environment.js';
import { findingSchema } from './finding.js';
import * as is from './parts.js';

const routeSchema = z.object({
  route: is.text.describe('method and pattern of the path, or the name of a mark'),
  requests: is.count,
  meanMs: is.number,
  ratio: is.orNull(is.ratio, 'mean latency ÷ that at the baseline; null when there are too few requests'),
  slower: z
    .enum(['no', 'maybe', 'yes'])
    .describe('more than 10 % slower than at the baseline: yes when that is hardly chance'),
});

export const tunedSizeSchema = z.object({
  size: is.size,
  ratio: z
    .object({ mean: is.ratio.nullable(), p99: is.ratio.nullable(), throughput: is.ratio.nullable() })
    .describe(
      '÷ the baseline: below 1 is better of latencies, above 1 of requests per second; null when not known',
    ),
  interval: is.orNull(
    is.intervalSchema,
    'of the ratio of the objective; holds for all sizes and looks together; null with fewer than four blocks',
  ),
  verdict: verdictSchema.describe('by the objective, against the baseline'),
  chanceSlower: is.orNull(is.chance, 'the chance that it is more than 5 % worse than the best size'),
  meanMs: is.orNull(is.number, 'of a request, routes weighted by their share; wall time of a command'),
  p99Ms: is.number.nullable(),
  perSecond: is.number.describe('requests, or runs'),
  loopDelayMs: is.orNull(
    z.object({ p99: is.number }),
    'how late a timer fired; median of the windows; null of a command',
  ),
  queueWaitMs: z
    .object({ fast: is.number.nullable(), slow: is.number.nullable() })
    .describe('mean wait of a job for a pool thread: file calls (fast), lookups (slow)'),
  cpu: z.object({
    cores: is.orNull(is.number, 'that the app kept busy'),
    machineCores: is.orNull(is.number, 'that were busy in all'),
  }),
  busyThreads: is.orNull(is.number, 'mean number of pool threads with a job'),
  requests: is.count.describe('requests, or runs, that are compared'),
  failed: is.count,
  blocks: is.count.describe('in which it is compared'),
  routes: is.listOf(routeSchema, 'the most frequent first'),
  overloaded: z.boolean().describe('it does not keep up with the requests that come: no latency is compared'),
  failing: z.boolean().describe('clearly more requests fail than at the baseline'),
  leftEarly: z.boolean().describe('so much worse that it got no more time'),
});

export const tuneSchema = is.resultSchema('tune', 'Result of plimsoll tune', {
  environment: environmentSchema,
  command: is.orNull(z.array(is.text), 'null when a running process was measured'),
  pid: is.orNull(is.positive, 'of the process that ran already'),
  recommended: is.orNull(is.size, 'null when it cannot be told'),
  baseline: is.size,
  confidence: z.enum(['sure', 'likely', 'cannot tell']),
  answer: z
    .enum(['change', 'keep', 'no difference', 'no pool use', 'cannot tell'])
    .describe('change: another size than the baseline; no difference: sizes are within 3 % of each other'),
  headline: is.text.describe('the answer in a sentence'),
  objective: z.enum(['mean', 'p99', 'throughput']),
  sizes: is.listOf(tunedSizeSchema, 'in ascending order'),
  twin: z
    .object({
      ratio: is.ratio,
      interval: is.intervalSchema.nullable(),
      noisy: z.boolean().describe('the baseline differs from itself: nothing can be told'),
      blocks: is.count,
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
    sizes: z.array(is.size),
    seed: z.int(),
    timeMs: is.number.describe('the most that was allowed'),
    blocks: is.count,
    windows: is.count.describe('or runs'),
    disturbed: is.count.describe('windows that are not compared'),
    traffic: is.orNull(is.text, 'who sent the requests: a command, URLs; null: whoever did'),
    resizing: z
      .enum(['threads', 'parking'])
      .nullable()
      .describe('how the size was changed; null with fresh processes'),
    processes: is.orNull(is.positive, 'that changed their size together'),
    startedAt: z.iso.datetime(),
    seconds: is.number,
    stop: z.enum(['settled', 'time', 'interrupted']).describe('why it ended: the answer was known …'),
  }),
  findings: z.array(findingSchema),
});

export type TuneResult = z.infer<typeof tuneSchema>;
export type TunedSize = z.infer<typeof tunedSizeSchema>;
export type TunedRoute = z.infer<typeof routeSchema>;
