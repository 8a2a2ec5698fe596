import { readdirSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { count, inputs, scratch, work } from './kit.mjs';

const folders = readdirSync(inputs);

/** One unit is a copy of one folder. */
await work(count, 8, (unit) =>
  cp(join(inputs, folders[unit % folders.length]), join(scratch, String(unit)), { recursive: true }),
);
