import { z } from 'zod';
import { text } from './parts.js';

export const statementSchema = z.object({
  id: text.describe('stable; docs/reference/findings.md explains each'),
  text,
  evidence: z.record(
    text,
    z.union([text, z.number(), z.boolean(), z.null(), z.array(z.number()), z.array(text)]),
  ),
});

export const findingSchema = statementSchema.extend({ severity: z.enum(['advice', 'note', 'warning']) });

export type Statement = z.infer<typeof statementSchema>;
export type Finding = z.infer<typeof findingSchema>;
