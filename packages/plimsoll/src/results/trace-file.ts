import { z } from 'zod';
import { LARGEST_POOL_SIZE } from '../libuv/pool-size.js';
import { environmentSchema } from './environment.js';
import { causes, requestEnds } from './trace.js';

const ms = z.number().nonnegative();
const index = z.int().nonnegative();
const id = z.int();

/** The first line of a kept trace; its other lines have a `type`. */
export const traceHeaderSchema = z.object({
  schema: z.literal('plimsoll/1'),
  kind: z.literal('trace'),
  format: z.literal('lines'),
  environment: environmentSchema,
  command: z.array(z.string()),
  startedAt: z.iso.datetime(),
  durationMs: ms,
});

export const traceProcessLineSchema = z.object({
  type: z.literal('process'),
  process: index.describe('by which the other lines name it'),
  pid: id,
  ppid: id,
  node: z.string(),
  script: z.string().nullable(),
  observedThreads: z.int().positive().nullable(),
  size: z.int().min(1).max(LARGEST_POOL_SIZE),
  startMs: ms,
  endMs: ms,
});

export const traceJobLineSchema = z.object({
  type: z.literal('job'),
  process: index,
  id: index.describe('by which other jobs of the process name it as their parent'),
  kind: z.string(),
  slowIo: z.boolean(),
  loopThread: id,
  submitMs: ms,
  startMs: ms,
  endMs: ms,
  callbackMs: ms,
  cpuMs: ms.nullable(),
  thread: id.nullable(),
  inferred: z.boolean(),
  queued: z.boolean(),
  parent: index.nullable(),
  cause: z.enum(causes).nullable().default(null),
  operation: index.nullable().default(null),
});

export const traceOperationLineSchema = z.object({
  type: z.literal('operation'),
  process: index,
  id: index.describe('by which jobs of the process name it'),
  name: z.string(),
  request: index.nullable(),
  loopThread: id,
  startMs: ms,
  endMs: ms.nullable(),
});

export const traceRequestLineSchema = z.object({
  type: z.literal('request'),
  process: index,
  id: index.describe('by which operations of the process name it'),
  kind: z.enum(['http', 'http2', 'mark', 'span']),
  route: z.string(),
  connection: index.nullable(),
  loopThread: id,
  startMs: ms,
  endMs: ms.nullable(),
  end: z.enum(requestEnds),
  sampled: z.boolean(),
});

/** Of a note: what its text is made of. */
export const noteFields = {
  id: z.string(),
  pid: id.optional(),
  count: index.optional(),
  detail: z.string().optional(),
};

const usage = z.object({ cpuMs: ms, coreWaitMs: ms });

export const traceUsageLineSchema = z.object({
  type: z.literal('usage'),
  process: index,
  fromMs: ms,
  toMs: ms,
  recorded: z.boolean().optional().describe('with --sample: whether all jobs of it were recorded'),
  eventLoop: usage,
  pool: usage,
  other: usage,
  busyThreads: index.nullable().optional(),
  blockedThreads: index.nullable().optional(),
});

export const traceNoteLineSchema = z.object({
  type: z.literal('note'),
  ...noteFields,
});

export const traceLineSchema = z.discriminatedUnion('type', [
  traceProcessLineSchema,
  traceRequestLineSchema,
  traceOperationLineSchema,
  traceJobLineSchema,
  traceUsageLineSchema,
  traceNoteLineSchema,
]);

export type TraceHeader = z.infer<typeof traceHeaderSchema>;
export type TraceLine = z.infer<typeof traceLineSchema>;
