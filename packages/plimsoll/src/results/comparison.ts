import { z } from 'zod';
import { verdictSchema } from './bench.js';
import { findingSchema } from './finding.js';

const ratio = z.number().positive();

const sideSchema = z.object({
  node: z.string().describe('version of Node'),
  startedAt: z.iso.datetime(),
});

export const comparisonSchema = z
  .object({
    schema: z.literal('plimsoll/1'),
    kind: z.literal('comparison'),
    of: z.enum(['bench', 'modules']),
    old: sideSchema,
    new: sideSchema,
    level: z.number().describe('at which the intervals of all rows together hold'),
    rows: z.array(
      z.object({
        name: z.string().describe('workload'),
        size: z.int(),
        comparedBy: z.literal('workMs'),
        oldMs: z.number().positive(),
        newMs: z.number().positive(),
        oldGenerations: z.int().positive(),
        newGenerations: z.int().positive(),
        ratio: ratio.describe('new time ÷ old time'),
        interval: z.tuple([ratio, ratio]).nullable().describe('null with fewer than four generations'),
        verdict: verdictSchema,
      }),
    ),
    recommended: z
      .array(z.object({ name: z.string(), old: z.int().nullable(), new: z.int().nullable() }))
      .describe('the sizes that each result recommends'),
    interrupted: z.boolean().describe('modules were compared, and that was interrupted'),
    verdict: verdictSchema.describe('worse when a row is; unclear when one is, or nothing can be compared'),
    findings: z.array(findingSchema),
  })
  .describe('Result of plimsoll bench --against and report --against');

export type Comparison = z.infer<typeof comparisonSchema>;
export type ComparisonRow = Comparison['rows'][number];
