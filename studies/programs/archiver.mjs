import { createWriteStream, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import archiver from 'archiver';
import { count, inputs, scratch, work } from './kit.mjs';

const folders = readdirSync(inputs);

/** One unit is a zip of one folder. */
await work(count, 4, async (unit) => {
  const zip = archiver('zip');
  const output = createWriteStream(join(scratch, `${unit}.zip`));
  zip.pipe(output);
  zip.directory(join(inputs, folders[unit % folders.length]), false);
  await Promise.all([zip.finalize(), finished(output)]);
});
