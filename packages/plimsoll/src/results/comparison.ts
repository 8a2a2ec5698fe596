import { z } from 'zod';
import { verdictSchema } from './bench.js';
import { findingSchema } from './finding.js';
import { intervalSchema, orNull, positive, ratio, resultSchema, text } from './parts.js';

const sideSchema = z.object({ node: text.describe('version of Node'), startedAt: z.iso.datetime() });

export const comparisonSchema = resultSchema(
  'comparison',
  'Result of plimsoll bench --against and report --against',
  {
    of: z.enum(['bench', 'modules']),
    old: sideSchema,
    new: sideSchema,
    level: z.number().describe('at which the intervals of all rows together hold'),
    rows: z.array(
      z.object({
        name: text.describe('workload'),
        size: z.int(),
        oldMs: ratio,
        newMs: ratio,
        oldGenerations: positive,
        newGenerations: positive,
        ratio: ratio.describe('new time ÷ old time'),
        interval: orNull(intervalSchema, 'null with fewer than four generations'),
        verdict: verdictSchema,
      }),
    ),
    interrupted: z.boolean().describe('modules were compared, and that was interrupted'),
    verdict: verdictSchema.describe('worse when a row is; unclear when one is, or nothing can be compared'),
    findings: z.array(findingSchema),
  },
);

export type Comparison = z.infer<typeof comparisonSchema>;
export type ComparisonRow = Comparison['rows'][number];
