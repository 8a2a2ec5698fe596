import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fixture } from './cli.js';

/** Where the headers of the running Node are; `null` when it came without them. */
function headers(): string | null {
  const include = join(dirname(process.execPath), '..', 'include', 'node');
  return existsSync(join(include, 'node_api.h')) ? include : null;
}

/**
 * Why no N-API add-on can be built here, or `false`: a C compiler and Node's headers are needed.
 */
export function cannotBuildAddon(): string | false {
  if (headers() === null) return 'this Node came without its headers (include/node)';
  return spawnSync('cc', ['--version']).status === 0 ? false : 'there is no C compiler (cc)';
}

/** Compile the fixture's add-on into `directory`. */
export function buildAddon(directory: string): string {
  const output = join(directory, 'addon.node');
  const flags = ['-shared', '-fPIC', '-DNODE_GYP_MODULE_NAME=addon', '-I', headers() as string];
  const loose = process.platform === 'darwin' ? ['-undefined', 'dynamic_lookup'] : [];
  const { status, stderr } = spawnSync(
    'cc',
    [...flags, ...loose, '-o', output, fixture('classify/addon.c')],
    { encoding: 'utf8' },
  );
  if (status !== 0) throw new Error(`cc failed: ${stderr}`);
  return output;
}
