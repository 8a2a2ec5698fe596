import { z } from 'zod';
import { environmentSchema } from './environment.js';
import { statementSchema } from './finding.js';
import { listOf, number, orNull, positive, resultSchema, size, text } from './parts.js';

const sinceStart = number.describe('since the first request was started');

export const spanSchema = z.object({
  request: positive,
  what: text.describe('crypto, zlib, the name of N-API work, a call of fs or dns, main thread, socket …'),
  where: z
    .enum(['pool', 'main', 'kernel'])
    .describe('on a pool thread, on the thread of the event loop, or outside the process'),
  submitMs: sinceStart,
  startMs: sinceStart.describe('from submitMs to here it waited for a pool thread'),
  endMs: sinceStart,
  callbackMs: sinceStart.describe('from endMs to here its result waited for the event loop'),
  thread: orNull(positive, 'pool thread, counted from 1; null when not known'),
  cpuMs: orNull(number, 'CPU time between start and end; null when not known'),
  inferred: z
    .boolean()
    .describe('start and end follow from the order of the queue; Node tells only submission and callback'),
  queued: z.boolean().describe('when it was submitted, every pool thread it could have had was taken'),
});

export const timelineExperimentSchema = z.object({
  requests: positive,
  wallMs: number.describe('from the start of the first request to the end of the last'),
  timings: z
    .array(z.object({ request: positive, startMs: sinceStart, endMs: sinceStart }))
    .describe('when each request was started, and when it had completed'),
  spans: z.array(spanSchema),
  observations: listOf(statementSchema, 'what the picture shows, derived from the spans'),
});

export const timelineSchema = resultSchema('timeline', 'Result of plimsoll classify --draw', {
  environment: environmentSchema,
  operation: text,
  description: text,
  size,
  observedThreads: z.int().nullable(),
  startedAt: z.iso.datetime(),
  interrupted: z.boolean(),
  experiments: z.array(timelineExperimentSchema),
});

export type Timeline = z.infer<typeof timelineSchema>;
export type TimelineExperiment = z.infer<typeof timelineExperimentSchema>;
export type Span = z.infer<typeof spanSchema>;
