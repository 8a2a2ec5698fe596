// Writes the JSON Schema of every kind of result beside the compiled package.
import { mkdirSync, writeFileSync } from 'node:fs';
import { z } from 'zod';
import { benchSchema } from '../packages/plimsoll/dist/results/bench.js';
import { classificationSchema } from '../packages/plimsoll/dist/results/classification.js';
import { comparisonSchema } from '../packages/plimsoll/dist/results/comparison.js';
import { diagnosisSchema } from '../packages/plimsoll/dist/results/diagnosis.js';
import { loadSchema } from '../packages/plimsoll/dist/results/load.js';
import { poolActivitySchema } from '../packages/plimsoll/dist/results/pool-activity.js';
import { timelineSchema } from '../packages/plimsoll/dist/results/timeline.js';
import { traceSummarySchema } from '../packages/plimsoll/dist/results/trace-summary.js';

const SCHEMAS = {
  bench: benchSchema,
  classification: classificationSchema,
  comparison: comparisonSchema,
  diagnosis: diagnosisSchema,
  load: loadSchema,
  timeline: timelineSchema,
  top: poolActivitySchema,
  trace: traceSummarySchema,
};

const directory = new URL('../packages/plimsoll/dist/schema/', import.meta.url);
mkdirSync(directory, { recursive: true });
for (const [kind, schema] of Object.entries(SCHEMAS))
  writeFileSync(new URL(`${kind}.json`, directory), `${JSON.stringify(z.toJSONSchema(schema), null, 2)}\n`);
