import { z } from 'zod';

const threads = z.int().positive();

export const resizeSchema = z
  .object({
    schema: z.literal('plimsoll/1'),
    kind: z.literal('resize'),
    pid: z.int(),
    takenAt: z.iso.datetime(),
    before: threads.nullable().describe('threads that served the queue; null: nothing had used the pool yet'),
    after: threads.describe('threads that serve it now, counted'),
    limit: threads.describe('the largest size that this process can have while it runs'),
    slowLimit: threads.describe('lookups (dns.lookup) that run at a time now'),
    by: z
      .enum(['threads', 'parking'])
      .describe('threads were started or ended (Node 26.9 and later), or parked in a read and set free'),
    reason: z.string().nullable().describe('why the limit is not 1024'),
  })
  .describe('Result of plimsoll resize');

export type Resize = z.infer<typeof resizeSchema>;
