// The supported lines of Node, and their binaries. As a command it installs those that are not there.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { npm, root } from './run.mjs';

/** The supported lines of Node. */
export const LINES = [20, 22, 24, 26];

/** The line of the Node that runs this. */
export const OWN_LINE = Number.parseInt(process.versions.node, 10);

/**
 * The newest binary of a line; from npm, unless it is the one that runs.
 *
 * @param {number} line
 */
export function nodeOfLine(line) {
  if (line === OWN_LINE) return process.execPath;
  const isWindows = process.platform === 'win32';
  const name = `node-${isWindows ? 'win' : process.platform}-${process.arch}`;
  const prefix = join(root, '.cache', `node-${line}`);
  const binary = join(prefix, 'node_modules', name, 'bin', isWindows ? 'node.exe' : 'node');
  const quiet = ['--no-save', '--no-audit', '--no-fund', '--loglevel=error'];
  if (!existsSync(binary)) npm(['install', '--prefix', prefix, ...quiet, `${name}@${line}`]);
  return binary;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) for (const line of LINES) nodeOfLine(line);
