import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { scratch } from '../common/paths.js';
import { NotHere } from './claim.js';

/** What people hash passwords by. */
export const PACKAGES: Readonly<Record<string, string>> = { bcrypt: '6.0.0', bcryptjs: '3.0.3' };

/** The folder in whose node_modules they are, installed if need be, without running a script. @throws {NotHere} */
export function packages(): string {
  const folder = scratch('folklore');
  if (Object.keys(PACKAGES).every((name) => existsSync(join(folder, 'node_modules', name)))) return folder;
  mkdirSync(folder, { recursive: true });
  const wanted = Object.entries(PACKAGES).map(([name, version]) => `${name}@${version}`);
  const quiet = ['--ignore-scripts', '--no-save', '--no-audit', '--no-fund', '--loglevel=error'];
  const { status } = spawnSync('npm', ['install', '--prefix', folder, ...quiet, ...wanted], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  if (status !== 0) throw new NotHere(`${wanted.join(' and ')} could not be installed`);
  return folder;
}
