import { z } from 'zod';
import { orNull, positive, resultSchema, text } from './parts.js';

export const resizeSchema = resultSchema('resize', 'Result of plimsoll resize', {
  pid: z.int(),
  takenAt: z.iso.datetime(),
  before: orNull(positive, 'threads that served the queue; null: nothing had used the pool yet'),
  after: positive.describe('threads that serve it now, counted'),
  limit: positive.describe('the largest size that this process can have while it runs'),
  slowLimit: positive.describe('lookups (dns.lookup) that run at a time now'),
  by: z
    .enum(['threads', 'parking'])
    .describe('threads were started or ended (Node 26.9 and later), or parked in a read and set free'),
  reason: orNull(text, 'why the limit is not 1024'),
});

export type Resize = z.infer<typeof resizeSchema>;
