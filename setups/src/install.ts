import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { npm } from './npm.js';

/**
 * The folder with `node_modules` for these packages, installed once and kept. No install script runs.
 *
 * @param cache where installs are kept.
 */
export function installed(packages: Readonly<Record<string, string>>, cache: string): string {
  const sorted = Object.entries(packages).sort(([a], [b]) => (a < b ? -1 : 1));
  const text = JSON.stringify({ private: true, dependencies: Object.fromEntries(sorted) }, null, 2);
  const hash = createHash('sha256').update(text).update(process.platform).update(process.arch).digest('hex');
  const folder = join(cache, hash.slice(0, 12));
  if (existsSync(folder)) return folder;
  // Moved to its place when it is whole, so that an interrupted install is never taken for one.
  const part = `${folder}.${process.pid}`;
  try {
    mkdirSync(part, { recursive: true });
    writeFileSync(join(part, 'package.json'), text);
    npm(
      [
        ...['install', '--ignore-scripts', '--no-audit', '--no-fund', '--no-package-lock'],
        ...['--loglevel=error', '--prefer-offline'],
      ],
      part,
    );
    if (!existsSync(folder)) renameSync(part, folder);
  } finally {
    rmSync(part, { recursive: true, force: true });
  }
  return folder;
}

interface Packed {
  readonly filename: string;
}

/** Packs `@plimsoll/pool` as it would be published. @returns the tarball's path. */
export function packPool(root: string, directory: string): string {
  const output = npm(
    ['pack', '--json', '--loglevel=error', '--pack-destination', directory],
    join(root, 'packages/pool'),
  );
  const [packed] = Object.values(JSON.parse(output) as Record<string, Packed>);
  return join(directory, (packed as Packed).filename);
}
