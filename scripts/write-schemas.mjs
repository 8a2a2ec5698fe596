// Writes the JSON Schema of every kind of result, and of the options, beside the compiled package.
import { mkdirSync, writeFileSync } from 'node:fs';
import { z } from 'zod';
import { benchSchema } from '../packages/plimsoll/dist/results/bench.js';
import { classificationSchema } from '../packages/plimsoll/dist/results/classification.js';
import { comparisonSchema } from '../packages/plimsoll/dist/results/comparison.js';
import { diagnosisSchema } from '../packages/plimsoll/dist/results/diagnosis.js';
import { poolActivitySchema } from '../packages/plimsoll/dist/results/pool-activity.js';
import { resizeSchema } from '../packages/plimsoll/dist/results/resize.js';
import { timelineSchema } from '../packages/plimsoll/dist/results/timeline.js';
import { traceSummarySchema } from '../packages/plimsoll/dist/results/trace-summary.js';
import { tuneSchema } from '../packages/plimsoll/dist/results/tune.js';
import { optionsSchema } from '../packages/plimsoll/scripts/options.mjs';

const SCHEMAS = {
  bench: benchSchema,
  classification: classificationSchema,
  comparison: comparisonSchema,
  diagnosis: diagnosisSchema,
  resize: resizeSchema,
  timeline: timelineSchema,
  top: poolActivitySchema,
  trace: traceSummarySchema,
  tune: tuneSchema,
};

const directory = new URL('../packages/plimsoll/dist/schema/', import.meta.url);
mkdirSync(directory, { recursive: true });
/** @type {[string, object][]} */
const schemas = Object.entries(SCHEMAS).map(([kind, schema]) => [kind, z.toJSONSchema(schema)]);
for (const [name, schema] of [...schemas, ['options', optionsSchema()]])
  writeFileSync(new URL(`${name}.json`, directory), `${JSON.stringify(schema, null, 2)}\n`);
