import { z } from 'zod';
import { LARGEST_POOL_SIZE } from '../libuv/pool-size.js';
import { environmentSchema } from './environment.js';
import { statementSchema } from './finding.js';

const milliseconds = z.number().nonnegative().describe('since the first request was started');

export const spanSchema = z.object({
  request: z.int().positive(),
  what: z
    .string()
    .describe('crypto, zlib, the name of N-API work, a call of fs or dns, main thread, socket …'),
  where: z
    .enum(['pool', 'main', 'kernel'])
    .describe('on a pool thread, on the thread of the event loop, or outside the process'),
  submitMs: milliseconds,
  startMs: milliseconds.describe('from submitMs to here it waited for a pool thread'),
  endMs: milliseconds,
  callbackMs: milliseconds.describe('from endMs to here its result waited for the event loop'),
  thread: z.int().positive().nullable().describe('pool thread, counted from 1; null when not known'),
  cpuMs: z.number().nonnegative().nullable().describe('CPU time between start and end; null when not known'),
  inferred: z
    .boolean()
    .describe('start and end follow from the order of the queue; Node tells only submission and callback'),
  queued: z.boolean().describe('when it was submitted, every pool thread it could have had was taken'),
});

export const timelineExperimentSchema = z.object({
  requests: z.int().positive(),
  wallMs: z.number().nonnegative().describe('from the start of the first request to the end of the last'),
  timings: z
    .array(z.object({ request: z.int().positive(), startMs: milliseconds, endMs: milliseconds }))
    .describe('when each request was started, and when it had completed'),
  spans: z.array(spanSchema),
  observations: z.array(statementSchema).describe('what the picture shows, derived from the spans'),
});

export const timelineSchema = z
  .object({
    schema: z.literal('plimsoll/1'),
    kind: z.literal('timeline'),
    environment: environmentSchema,
    operation: z.string(),
    description: z.string(),
    size: z.int().min(1).max(LARGEST_POOL_SIZE),
    observedThreads: z.int().nullable(),
    startedAt: z.iso.datetime(),
    interrupted: z.boolean(),
    experiments: z.array(timelineExperimentSchema),
  })
  .describe('Result of plimsoll classify --draw');

export type Timeline = z.infer<typeof timelineSchema>;
export type TimelineExperiment = z.infer<typeof timelineExperimentSchema>;
export type Span = z.infer<typeof spanSchema>;
