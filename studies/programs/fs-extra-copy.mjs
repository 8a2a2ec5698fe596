import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import fse from 'fs-extra';
import { count, inputs, scratch, work } from './kit.mjs';

const folders = readdirSync(inputs);

/** One unit is a copy of one folder. */
await work(count, 4, (unit) =>
  fse.copy(join(inputs, folders[unit % folders.length]), join(scratch, String(unit))),
);
