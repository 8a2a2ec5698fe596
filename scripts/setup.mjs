// Makes a clone ready: installs and builds only what is not fresh. Node and npm are all it needs.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundle } from './bundle.mjs';
import { npm, root, run } from './run.mjs';

const stampFile = join(root, 'node_modules', '.plimsoll-installed');

/** Install and build what is not fresh; ends the process with 2 on a Node that is too old. */
export function setup() {
  if (!isSupported(process.versions.node)) {
    console.error(`plimsoll needs Node.js 20.19, 22.12 or newer; this is ${process.versions.node}`);
    process.exit(2);
  }
  install();
  build();
}

/** @param {string} version */
function isSupported(version) {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major === 20) return minor >= 19;
  if (major === 22) return minor >= 12;
  return major > 22;
}

function install() {
  const lock = readFileSync(join(root, 'package-lock.json'));
  const stamp = createHash('sha256').update(lock).update(process.platform).update(process.arch).digest('hex');
  if (existsSync(stampFile) && readFileSync(stampFile, 'utf8') === stamp) return;
  console.error('plimsoll: installing …');
  npm(['ci', '--no-audit', '--no-fund', '--loglevel=error']);
  writeFileSync(stampFile, stamp);
}

/** `tsc -b` looks at the sources itself and writes nothing that is fresh. */
function build() {
  run(process.execPath, [join(root, 'node_modules', 'typescript', 'bin', 'tsc'), '-b']);
  bundle(root);
  const sources = ['api', 'results'].map((folder) => join(root, 'packages/plimsoll/dist', folder));
  const schema = join(root, 'packages/plimsoll/dist/schema/bench.json');
  const files = sources.flatMap((folder) => readdirSync(folder).map((file) => join(folder, file)));
  const newest = Math.max(...files.map((file) => statSync(file).mtimeMs));
  if (existsSync(schema) && statSync(schema).mtimeMs >= newest) return;
  run(process.execPath, [join(root, 'scripts/write-schemas.mjs')]);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) setup();
