import { z } from 'zod';
import { verdictSchema } from './bench.js';
import { findingSchema } from './finding.js';
import { intervalSchema, orNull, positive, ratio, resultSchema, text } from './parts.js';

const rowSchema = z.object({
  name: text.describe('the new module'),
  size: z.int(),
  oldMs: ratio.describe('median of the rounds'),
  newMs: ratio,
  generations: positive,
  ratio: ratio.describe('new time ÷ old time'),
  interval: orNull(intervalSchema, 'null with fewer than four generations'),
  verdict: verdictSchema,
});

export const comparisonSchema = resultSchema('comparison', 'Result of plimsoll bench --against', {
  node: text.describe('version of Node'),
  startedAt: z.iso.datetime(),
  level: z.number().describe('at which the intervals of all rows together hold'),
  rows: z.array(rowSchema),
  interrupted: z.boolean(),
  verdict: verdictSchema.describe('worse when a row is; unclear when one is, or a module failed at a size'),
  findings: z.array(findingSchema),
});

export type Comparison = z.infer<typeof comparisonSchema>;
export type ComparisonRow = z.infer<typeof rowSchema>;
