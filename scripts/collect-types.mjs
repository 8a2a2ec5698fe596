import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** What the pool takes in of the monitor, by the path from its `dist`. */
const TAKEN_IN = /(?<=^|')((?:\.\.\/)*)\.\.\/\.\.\/monitor\/dist\//g;

/**
 * Copies the declarations that those of the entries need, and no others, with what is written by hand. All of them count as
 * CommonJS, which ES modules may import too: with a set for each, a class would have two types that do not fit.
 *
 * @param {string} dist
 * @param {readonly string[]} entries
 * @param {string} written the folder of those written by hand
 * @param {string} folder where they go
 */
export function collectTypes(dist, entries, written, folder) {
  for (const file of reachable(dist, entries)) {
    const target = join(folder, file.replaceAll('\\', '/').replace(TAKEN_IN, ''));
    mkdirSync(dirname(target), { recursive: true });
    const text = withoutMap(readFileSync(join(dist, file), 'utf8'));
    writeFileSync(target, text.replaceAll(TAKEN_IN, toOwn));
  }
  cpSync(written, folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{ "type": "commonjs" }\n');
}

/** @type {(dist: string, entries: readonly string[]) => Set<string>} */
function reachable(dist, entries) {
  const found = new Set(entries.map((name) => `${name}.d.ts`));
  for (const file of found) {
    const text = readFileSync(join(dist, file), 'utf8').replaceAll(/\/\*.*?\*\//gs, '');
    for (const [, path] of text.matchAll(/\b(?:from |import\()'(\.[^']+)\.js'/g))
      found.add(join(dirname(file), `${path}.d.ts`));
  }
  return found;
}

/** @type {(path: string, up: string) => string} */
const toOwn = (_, up) => up || './';

/** @param {string} text */
const withoutMap = (text) => text.replace(/^\/\/# sourceMappingURL=.*$/m, '');
