import { z } from 'zod';
import { environmentSchema } from './environment.js';
import { statementSchema } from './finding.js';
import { listOf, number, orNull, resultSchema, text } from './parts.js';

export const poolVerdictSchema = z
  .enum(['pool', 'kernel', 'both', 'main thread', 'failed', 'timeout', 'unclear'])
  .describe(
    'pool: it waited for a pool thread; kernel: it completed while every pool thread was blocked; both: it waits for the ' +
      'pool and for the kernel too; main thread: it was done before the event loop turned; failed: its own error; ' +
      'timeout: it never completed, blocked or not; unclear: the runs contradict each other',
  );

export const classifiedSchema = z.object({
  name: text,
  call: text.describe('what was called'),
  verdict: poolVerdictSchema,
  slowIo: z
    .boolean()
    .nullable()
    .describe('libuv runs at most (size + 1) / 2 of these at a time; null when it did not wait for the pool'),
  mainThreadMs: orNull(
    number,
    'how long its first call kept the event loop busy, loading included; null when it never completed',
  ),
  waitsFor: listOf(
    text,
    'pool, and what called back before it completed: socket, pipe, process, timer, thread, file events',
  ),
  explanation: text.describe('what was observed, and what is known of it'),
  grounds: statementSchema.describe('the observation that the verdict rests on'),
  alternative: orNull(text, 'how to do the same without the pool or the main thread'),
});

export const classificationSchema = resultSchema('classification', 'Result of plimsoll classify', {
  environment: environmentSchema,
  size: z.int().describe('pool threads of every process, all of them blocked'),
  startedAt: z.iso.datetime(),
  seconds: number,
  interrupted: z.boolean(),
  results: z.array(classifiedSchema),
});

export type Classification = z.infer<typeof classificationSchema>;
export type Classified = z.infer<typeof classifiedSchema>;
export type PoolVerdict = z.infer<typeof poolVerdictSchema>;
