import { z } from 'zod';
import { text } from './parts.js';

/** A sentence about a result, under a stable id, and the numbers that it rests on. */
export const statementSchema = z.object({
  id: text.describe('stable; docs/reference/findings.md explains each'),
  text,
  evidence: z.record(
    text,
    z.union([text, z.number(), z.boolean(), z.null(), z.array(z.number()), z.array(text)]),
  ),
});

/** Something that a reader should learn from a result. */
export const findingSchema = statementSchema.extend({ severity: z.enum(['advice', 'note', 'warning']) });

export type Statement = z.infer<typeof statementSchema>;
export type Finding = z.infer<typeof findingSchema>;
