import { z } from 'zod';
import { environmentSchema } from './environment.js';
import { statementSchema } from './finding.js';

export const poolVerdictSchema = z
  .enum(['pool', 'kernel', 'both', 'main thread', 'failed', 'timeout', 'unclear'])
  .describe(
    'pool: it waited for a pool thread; kernel: it completed while every pool thread was blocked; both: it waits for the ' +
      'pool and for the kernel too; main thread: it was done before the event loop turned; failed: its own error; ' +
      'timeout: it never completed, blocked or not; unclear: the runs contradict each other',
  );

export const classifiedSchema = z.object({
  name: z.string(),
  call: z.string().describe('what was called'),
  verdict: poolVerdictSchema,
  slowIo: z
    .boolean()
    .nullable()
    .describe('libuv runs at most (size + 1) / 2 of these at a time; null when it did not wait for the pool'),
  mainThreadMs: z
    .number()
    .nonnegative()
    .nullable()
    .describe(
      'how long its first call kept the event loop busy, loading included; null when it never completed',
    ),
  waitsFor: z
    .array(z.string())
    .describe(
      'pool, and what called back before it completed: socket, pipe, process, timer, thread, file events',
    ),
  explanation: z.string().describe('what was observed, and what is known of it'),
  grounds: statementSchema.describe('the observation that the verdict rests on'),
  alternative: z.string().nullable().describe('how to do the same without the pool or the main thread'),
});

export const classificationSchema = z
  .object({
    schema: z.literal('plimsoll/1'),
    kind: z.literal('classification'),
    environment: environmentSchema,
    size: z.int().describe('pool threads of every process, all of them blocked'),
    startedAt: z.iso.datetime(),
    seconds: z.number().nonnegative(),
    interrupted: z.boolean(),
    results: z.array(classifiedSchema),
  })
  .describe('Result of plimsoll classify');

export type Classification = z.infer<typeof classificationSchema>;
export type Classified = z.infer<typeof classifiedSchema>;
export type PoolVerdict = z.infer<typeof poolVerdictSchema>;
