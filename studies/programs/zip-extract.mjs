import { createWriteStream, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import archiver from 'archiver';
import extract from 'extract-zip';
import { count, inputs, scratch, work } from './kit.mjs';

const [folder] = readdirSync(inputs);
const file = join(scratch, 'input.zip');
const zip = archiver('zip', { zlib: { level: 1 } });
zip.directory(join(inputs, folder), false);
void zip.finalize();
await finished(zip.pipe(createWriteStream(file)));

/** One unit is a zip file that is extracted. */
await work(count, 4, (unit) => extract(file, { dir: join(scratch, String(unit)) }));
