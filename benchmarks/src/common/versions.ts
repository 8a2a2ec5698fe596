import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * The versions of installed packages; of what changes between releases (a package of a workspace) with a hash of its code too.
 *
 * @param resolve the `import.meta.resolve` of the module that can import them.
 * @param hashed packages whose code is hashed.
 * @example
 * installedVersions(['piscina'], (name) => import.meta.resolve(name)); // { piscina: '5.3.2' }
 */
export function installedVersions(
  packages: readonly string[],
  resolve: (name: string) => string,
  hashed: readonly string[] = [],
): Record<string, string> {
  return Object.fromEntries(
    packages.map((name) => {
      const folder = dirname(fileURLToPath(resolve(name)));
      const version = versionOf(name, folder);
      return [name, hashed.includes(name) ? `${version} (code ${codeHash(folder)})` : version];
    }),
  );
}

function codeHash(folder: string): string {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) =>
    /\.c?js$/.test(file),
  );
  const hash = createHash('sha256');
  for (const file of files.sort()) hash.update(file).update(readFileSync(join(folder, file)));
  return hash.digest('hex').slice(0, 8);
}

/** Not every package exports its package.json; every one has it above its entry. */
function versionOf(library: string, entry: string): string {
  for (let folder = entry; ; ) {
    const file = join(folder, 'package.json');
    if (existsSync(file)) {
      const { name, version } = JSON.parse(readFileSync(file, 'utf8')) as { name?: string; version?: string };
      if (name === library) return version ?? 'unknown';
    }
    if (folder === dirname(folder)) return 'unknown';
    folder = dirname(folder);
  }
}
