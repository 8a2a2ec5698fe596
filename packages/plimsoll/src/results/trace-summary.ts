import { z } from 'zod';
import { environmentSchema } from './environment.js';
import { statementSchema } from './finding.js';

const ms = z.number().nonnegative();

const partSchema = z.object({ mean: ms, p99: ms });

export const budgetSchema = z.object({
  queueWaitMs: partSchema.describe('waiting for a pool thread'),
  coreWaitMs: partSchema.describe('on a pool thread, waiting for a core'),
  cpuMs: partSchema.describe('on a pool thread, on a core'),
  blockedMs: partSchema.describe('on a pool thread, waiting for something else'),
  eventLoopMs: partSchema.describe('done, waiting for the event loop'),
  totalMs: partSchema.describe('from submission to callback'),
});

export const tracedKindSchema = z.object({
  kind: z.string(),
  slowIo: z.boolean().describe('slow I/O, for which half of the pool is used'),
  jobs: z.int().positive(),
  inferred: z.int().nonnegative().describe('jobs whose start and end follow from the rules of the queue'),
  queued: z.int().nonnegative().describe('jobs that found no free thread'),
  budget: budgetSchema,
});

export const tracedProgramSchema = z.object({
  script: z.string().nullable(),
  node: z.string(),
  pids: z.array(z.int()).describe('processes that ran this script, each with a pool of its own'),
  size: z.int().describe('pool size by UV_THREADPOOL_SIZE'),
  observedThreads: z
    .array(z.int())
    .describe('different numbers of pool threads that were counted; empty when none were'),
  jobs: z.int().nonnegative(),
  activeMs: ms.describe('from the first submission to the last callback, all processes together'),
  utilization: z
    .number()
    .nonnegative()
    .nullable()
    .describe('share of that time that pool threads were taken'),
  saturatedMs: ms.describe('all threads were taken, all processes together'),
  queuedMs: ms.describe('at least one job waited for a thread, all processes together'),
  heldBy: z
    .array(z.object({ kind: z.string(), share: z.number() }))
    .describe('who had the threads meanwhile, by kind of job, the largest share first'),
  eventLoopCpuShare: z.number().nonnegative().nullable().describe('share of a core that the event loop used'),
  coresUsed: z
    .number()
    .nonnegative()
    .nullable()
    .describe('cores used while the pool was active, by all threads'),
  budget: budgetSchema.nullable(),
  kinds: z.array(tracedKindSchema),
  advice: statementSchema,
});

export const traceSummarySchema = z
  .object({
    schema: z.literal('plimsoll/1'),
    kind: z.literal('trace'),
    environment: environmentSchema,
    command: z.string().describe('the program that was run, without its arguments: they may be secrets'),
    startedAt: z.iso.datetime(),
    durationMs: ms,
    ending: z.enum(['ended', 'failed', 'stopped', 'interrupted']),
    programs: z.array(tracedProgramSchema),
    notes: z.array(
      z.object({
        id: z.string(),
        text: z.string(),
        pid: z.int().optional(),
        count: z.int().nonnegative().optional(),
        detail: z.string().optional(),
      }),
    ),
  })
  .describe('Summary of plimsoll trace; the jobs themselves are in the file of --out');

export type TraceSummary = z.infer<typeof traceSummarySchema>;
export type TracedProgram = z.infer<typeof tracedProgramSchema>;
export type TracedKind = z.infer<typeof tracedKindSchema>;
export type Budget = z.infer<typeof budgetSchema>;
