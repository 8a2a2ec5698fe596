import { z } from 'zod';
import { environmentSchema } from './environment.js';
import { statementSchema } from './finding.js';
import { count, listOf, number, orNull, positive, resultSchema, text } from './parts.js';

const partSchema = z.object({ mean: number, p99: number });

export const budgetSchema = z.object({
  queueWaitMs: partSchema.describe('waiting for a pool thread'),
  coreWaitMs: partSchema.describe('on a pool thread, waiting for a core'),
  cpuMs: partSchema.describe('on a pool thread, on a core'),
  blockedMs: partSchema.describe('on a pool thread, waiting for something else'),
  eventLoopMs: partSchema.describe('done, waiting for the event loop'),
  totalMs: partSchema.describe('from submission to callback'),
});

export const tracedKindSchema = z.object({
  kind: text,
  slowIo: z.boolean().describe('slow I/O, for which half of the pool is used'),
  jobs: positive,
  inferred: count.describe('jobs whose start and end follow from the rules of the queue'),
  queued: count.describe('jobs that found no free thread'),
  budget: budgetSchema,
});

const frameSchema = z.object({
  name: text,
  file: text.nullable().describe('null of a package, which is shown as a whole'),
  line: z.int(),
});

const siteSchema = z.object({ request: text.nullable(), kind: text, frame: frameSchema.nullable() });

const waitSchema = z.object({
  request: text.nullable().describe('the route of the request that made the call'),
  kind: text,
  frames: z.array(frameSchema).describe('the stack of the call, from the outside in'),
  cause: z
    .enum(['thread', 'core', 'blocked', 'loop'])
    .describe('what was waited for: a pool thread, a core, a disk or the network, the event loop'),
  behind: orNull(siteSchema, 'who had the pool threads meanwhile'),
  ms: number,
});

export const tracedProgramSchema = z.object({
  script: text.nullable(),
  node: text,
  pids: listOf(z.int(), 'processes that ran this script, each with a pool of its own'),
  size: z.int().describe('pool size by UV_THREADPOOL_SIZE'),
  observedThreads: listOf(
    z.int(),
    'different numbers of pool threads that were counted; empty when none were',
  ),
  jobs: count,
  activeMs: number.describe('from the first submission to the last callback, all processes together'),
  utilization: orNull(number, 'share of that time that pool threads were taken'),
  saturatedMs: number.describe('all threads were taken, all processes together'),
  queuedMs: number.describe('at least one job waited for a thread, all processes together'),
  requests: z
    .array(z.object({ request: text.nullable(), jobs: count, totalMs: number }))
    .describe('from submission to callback, of all jobs of each route'),
  waits: z
    .array(waitSchema)
    .describe(
      'all waiting of all jobs, by who called and by cause, the longest first; smaller ones together',
    ),
  blocking: z
    .array(z.object({ victim: siteSchema, blocker: siteSchema, waitMs: number, fallsByMs: number }))
    .describe(
      'how long all jobs of a call waited for a thread, and by how much less if those of another took no time, by a replay',
    ),
  eventLoopCpuShare: orNull(number, 'share of a core that the event loop used'),
  coresUsed: orNull(number, 'cores used while the pool was active, by all threads'),
  budget: budgetSchema.nullable(),
  kinds: z.array(tracedKindSchema),
  advice: statementSchema,
});

export const traceSummarySchema = resultSchema('trace', 'Summary of plimsoll trace', {
  environment: environmentSchema,
  command: text.describe('the program that was run, without its arguments: they may be secrets'),
  startedAt: z.iso.datetime(),
  durationMs: number,
  ending: z
    .enum(['ended', 'failed', 'stopped', 'interrupted'])
    .describe('the command ended or failed by itself, or was stopped after the duration'),
  programs: z.array(tracedProgramSchema),
  notes: z.array(
    z.object({
      id: text,
      text,
      pid: z.int().optional(),
      count: count.optional(),
      detail: text.optional().describe('what Node or the kernel said: an error, an exit code'),
    }),
  ),
});

export type TraceSummary = z.infer<typeof traceSummarySchema>;
export type TracedProgram = z.infer<typeof tracedProgramSchema>;
export type TracedKind = z.infer<typeof tracedKindSchema>;
export type Budget = z.infer<typeof budgetSchema>;
