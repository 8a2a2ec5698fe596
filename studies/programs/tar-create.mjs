import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { create } from 'tar';
import { count, inputs, scratch, work } from './kit.mjs';

const folders = readdirSync(inputs);

/** One unit is an archive of one folder. */
await work(count, 4, (unit) =>
  create({ gzip: true, cwd: inputs, file: join(scratch, `${unit}.tgz`) }, [folders[unit % folders.length]]),
);
