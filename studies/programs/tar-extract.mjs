import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { create, extract } from 'tar';
import { count, inputs, scratch, work } from './kit.mjs';

const archives = readdirSync(inputs).map((folder) => {
  const file = join(scratch, `${folder}.tgz`);
  create({ gzip: true, sync: true, cwd: inputs, file }, [folder]);
  return file;
});

/** One unit is the content of one archive. */
await work('extract', count, 4, async (unit) => {
  const cwd = join(scratch, String(unit));
  mkdirSync(cwd);
  await extract({ cwd, file: archives[unit % archives.length] });
});
