// Makes a clone ready: installs and builds only what is not fresh. Node and npm are all it needs.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundle } from './bundle.mjs';

export const root = fileURLToPath(new URL('..', import.meta.url));
const stampFile = join(root, 'node_modules', '.plimsoll-installed');

/** Run a command, end this process with its exit code when it fails. */
export function run(command, args, options = {}) {
  const { status, error } = spawnSync(command, args, { cwd: root, stdio: 'inherit', ...options });
  if (error) throw error;
  if (status !== 0) process.exit(status ?? 1);
}

/** npm as the one that belongs to this node, never through a shell. */
export function npm(args, options) {
  const cli = process.env.npm_execpath;
  if (cli?.endsWith('.js')) run(process.execPath, [cli, ...args], options);
  else run(process.platform === 'win32' ? 'npm.cmd' : 'npm', args, options);
}

export function setup() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  const needed = { 20: 19, 21: Number.POSITIVE_INFINITY, 22: 12 }[major] ?? 0;
  if (major < 20 || minor < needed) {
    console.error(`plimsoll needs Node.js 20.19, 22.12 or newer; this is ${process.versions.node}`);
    process.exit(2);
  }
  install();
  build();
}

function install() {
  const lock = readFileSync(join(root, 'package-lock.json'));
  const stamp = createHash('sha256').update(lock).update(process.platform).update(process.arch).digest('hex');
  if (existsSync(stampFile) && readFileSync(stampFile, 'utf8') === stamp) return;
  console.error('plimsoll: installing …');
  npm(['ci', '--no-audit', '--no-fund', '--loglevel=error']);
  writeFileSync(stampFile, stamp);
}

/** tsc's build mode looks at the sources itself and writes nothing that is fresh. */
function build() {
  run(process.execPath, [join(root, 'node_modules', 'typescript', 'bin', 'tsc'), '-b']);
  bundle(root);
  const results = join(root, 'packages/plimsoll/dist/results');
  const schema = join(root, 'packages/plimsoll/dist/schema/load.json');
  const newest = Math.max(...readdirSync(results).map((file) => statSync(join(results, file)).mtimeMs));
  if (existsSync(schema) && statSync(schema).mtimeMs >= newest) return;
  run(process.execPath, [join(root, 'scripts/write-schemas.mjs')]);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) setup();
