import { z } from 'zod';

/** Something that a reader should learn from a result, and the numbers that it rests on. */
export const findingSchema = z.object({
  id: z.string().describe('stable; docs/reference/findings.md explains each'),
  severity: z.enum(['advice', 'note', 'warning']),
  text: z.string(),
  evidence: z.record(
    z.string(),
    z.union([z.string(), z.number(), z.boolean(), z.null(), z.array(z.number()), z.array(z.string())]),
  ),
});

export type Finding = z.infer<typeof findingSchema>;
