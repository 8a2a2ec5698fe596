// Writes the JSON Schema of every kind of result beside the compiled package.
import { mkdirSync, writeFileSync } from 'node:fs';
import { z } from 'zod';
import { benchSchema } from '../packages/plimsoll/dist/results/bench.js';

const directory = new URL('../packages/plimsoll/dist/schema/', import.meta.url);
mkdirSync(directory, { recursive: true });
writeFileSync(new URL('bench.json', directory), `${JSON.stringify(z.toJSONSchema(benchSchema), null, 2)}\n`);
