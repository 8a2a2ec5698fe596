import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CONTENDERS } from './contenders/contenders.js';

/** The versions of the contenders' packages as installed. */
export function contenderVersions(): Record<string, string> {
  const libraries = new Set(Object.values(CONTENDERS).flatMap(({ library }) => library ?? []));
  return Object.fromEntries([...libraries].map((library) => [library, versionOf(library)]));
}

/** Not every package exports its package.json; every one has it above its entry. */
function versionOf(library: string): string {
  let folder = dirname(fileURLToPath(import.meta.resolve(library)));
  for (;;) {
    const file = join(folder, 'package.json');
    if (existsSync(file)) {
      const { name, version } = JSON.parse(readFileSync(file, 'utf8')) as { name?: string; version?: string };
      if (name === library) return version ?? 'unknown';
    }
    if (folder === dirname(folder)) return 'unknown';
    folder = dirname(folder);
  }
}
