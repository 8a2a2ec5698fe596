import { cpSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { rimraf } from 'rimraf';
import { count, inputs, scratch, work } from './kit.mjs';

const folders = readdirSync(inputs);
for (let unit = 0; unit < count; unit++)
  cpSync(join(inputs, folders[unit % folders.length]), join(scratch, String(unit)), { recursive: true });

/** One unit is a folder that is removed. */
await work(count, 4, (unit) => rimraf(join(scratch, String(unit))));
