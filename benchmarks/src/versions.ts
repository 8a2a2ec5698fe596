import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CONTENDERS } from './contenders/contenders.js';

/** The versions of the contenders' packages as installed; ours, which changes between releases, with a hash of its code. */
export function contenderVersions(): Record<string, string> {
  return versionsOf([...new Set(Object.values(CONTENDERS).flatMap(({ library }) => library ?? []))]);
}

/** The same of any packages that are installed here. */
export function versionsOf(libraries: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    libraries.map((library) => [
      library,
      library === OURS ? `${versionOf(library)} (code ${codeHash(library)})` : versionOf(library),
    ]),
  );
}

const OURS = CONTENDERS.plimsoll.library;

function codeHash(library: string): string {
  const folder = dirname(fileURLToPath(import.meta.resolve(library)));
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.js'),
  );
  const hash = createHash('sha256');
  for (const file of files.sort()) hash.update(file).update(readFileSync(join(folder, file)));
  return hash.digest('hex').slice(0, 8);
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
