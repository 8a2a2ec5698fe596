import { z } from 'zod';

/** A sentence about a result, under a stable id, and the numbers that it rests on. */
export const statementSchema = z.object({
  id: z.string().describe('stable; docs/reference/findings.md explains each'),
  text: z.string(),
  evidence: z.record(
    z.string(),
    z.union([z.string(), z.number(), z.boolean(), z.null(), z.array(z.number()), z.array(z.string())]),
  ),
});

/** Something that a reader should learn from a result. */
export const findingSchema = statementSchema.extend({ severity: z.enum(['advice', 'note', 'warning']) });

export type Statement = z.infer<typeof statementSchema>;
export type Finding = z.infer<typeof findingSchema>;
