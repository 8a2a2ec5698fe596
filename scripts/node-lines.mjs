import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { npm, root } from './setup.mjs';

/** The supported lines of Node. */
export const LINES = [20, 22, 24, 26];

/** The newest binary of a line; from npm, unless it is the one that runs. */
export function nodeOfLine(line) {
  if (Number(process.versions.node.split('.')[0]) === line) return process.execPath;
  const platform = process.platform === 'win32' ? 'win' : process.platform;
  const name = `node-${platform}-${process.arch}`;
  const prefix = join(root, '.cache', `node-${line}`);
  const binary = join(
    prefix,
    'node_modules',
    name,
    'bin',
    process.platform === 'win32' ? 'node.exe' : 'node',
  );
  if (!existsSync(binary))
    npm([
      'install',
      '--prefix',
      prefix,
      '--no-save',
      '--no-audit',
      '--no-fund',
      '--loglevel=error',
      `${name}@${line}`,
    ]);
  return binary;
}
