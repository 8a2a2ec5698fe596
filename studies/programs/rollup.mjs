import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { rollup } from 'rollup';
import { count, inputs, scratch, work } from './kit.mjs';

const folders = readdirSync(inputs);

/** One unit is a bundle of the modules of one folder. */
await work(count, 1, async (unit) => {
  const bundle = await rollup({ input: join(inputs, folders[unit % folders.length], 'index.js') });
  await bundle.write({ file: join(scratch, `${unit}.js`), format: 'es' });
  await bundle.close();
});
