// Tarballs of the public packages, as npm would publish them.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { outputOfNpm, root } from './run.mjs';

/**
 * A package and its tarball.
 *
 * @typedef {object} Packed
 * @property {string} folder
 * @property {Record<string, any>} manifest
 * @property {string} tarball
 * @property {number} size in bytes
 * @property {string[]} paths of the files in it
 */

/** @param {string} directory for the tarballs @returns {Packed[]} */
export const packAll = (directory) =>
  readdirSync(join(root, 'packages')).flatMap((name) => pack(name, directory) ?? []);

/** @param {string} name of the folder @param {string} directory @returns {Packed | null} `null` when it is private */
function pack(name, directory) {
  const folder = join(root, 'packages', name);
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  if (manifest.private) return null;
  const args = ['pack', '--json', '--loglevel=error', '--pack-destination', directory];
  // An array, or since npm 12 an object by name.
  /** @type {{ filename: string, size: number, files: { path: string }[] }[]} */
  const [{ filename, size, files }] = Object.values(JSON.parse(outputOfNpm(args, folder)));
  const paths = files.map(({ path }) => path);
  return { folder: `packages/${name}`, manifest, tarball: join(directory, filename), size, paths };
}
