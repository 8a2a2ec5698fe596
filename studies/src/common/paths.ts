import { mkdirSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The repository. */
export const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
export const RESULTS = join(ROOT, 'docs/results');

/** Where figures go that are not those of a full run, and so are no results. */
export const scratch = (name: string): string => join(ROOT, '.cache', `study-${name}`);

/** Writes a file, its folder too, and says so. */
export function writeOutput(directory: string, file: string, text: string | Uint8Array): void {
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, file), text);
  console.error(`wrote ${relative(process.cwd(), join(directory, file))}`);
}
