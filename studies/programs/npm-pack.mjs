import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import pack from 'libnpmpack';
import { count, inputs, scratch, work } from './kit.mjs';

const folders = readdirSync(inputs);

/** One unit is what `npm pack` does in one package. */
await work('pack', count, 1, (unit) =>
  pack(join(inputs, folders[unit % folders.length]), {
    dryRun: false,
    packDestination: scratch,
    ignoreScripts: true,
    cache: join(scratch, 'cache'),
  }),
);
