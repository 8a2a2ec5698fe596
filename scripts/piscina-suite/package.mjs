import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { npm, root } from '../run.mjs';

/** What npm gave for the version that package-lock.json pins: its tests are in the tarball. */
const published = join(root, 'node_modules/piscina');
const manifest = JSON.parse(readFileSync(join(published, 'package.json'), 'utf8'));
export const version = manifest.version;
const directory = join(root, '.cache/piscina-suite', version);

/** What the tests import and run with; the versions are those that Piscina itself asks for. */
const NEEDS = ['tsx', 'concat-stream', '@napi-rs/nice'];

/** Names that `dist/index.js` exports besides the class. */
const EXPORTS = [
  ...['Piscina', 'version', 'move', 'isWorkerThread', 'workerData', 'FixedQueue', 'ArrayTaskQueue'],
  ...['transferableSymbol', 'valueSymbol', 'queueOptionsSymbol'],
];

/**
 * Stands where Piscina's own entries do; everything else in `dist/` stays. What `move` marks carries a symbol that no
 * module of Piscina exports to its users: its internal `isMovable`, which tests import, is told ours.
 */
const DROP_IN = {
  'dist/main.js': `'use strict';
require('./symbols').kMovable = Symbol.for('plimsoll.pool.movable');
module.exports = require('@plimsoll/pool/piscina');
`,
  'dist/index.js': `'use strict';
Object.defineProperty(exports, '__esModule', { value: true });
const Piscina = require('./main.js');
exports.default = Piscina;
for (const name of ${JSON.stringify(EXPORTS)}) exports[name] = Piscina[name];
`,
};

/** A fresh copy of the published package, as it is or with its entries replaced by the drop-in. @param {string} against */
export function layOut(against) {
  installNeeds();
  const copy = join(directory, against);
  rmSync(copy, { recursive: true, force: true });
  cpSync(published, copy, { recursive: true });
  if (against === 'drop-in') {
    for (const [file, text] of Object.entries(DROP_IN)) writeFileSync(join(copy, file), text);
  }
  return copy;
}

/** Beside the copies, where they find it. */
function installNeeds() {
  const wanted = { ...manifest.devDependencies, ...manifest.optionalDependencies };
  const dependencies = Object.fromEntries(NEEDS.map((name) => [name, wanted[name]]));
  const text = `${JSON.stringify({ private: true, dependencies }, null, 2)}\n`;
  const file = join(directory, 'package.json');
  const isThere = existsSync(file) && readFileSync(file, 'utf8') === text;
  if (isThere && NEEDS.every((name) => existsSync(join(directory, 'node_modules', name)))) return;
  mkdirSync(directory, { recursive: true });
  writeFileSync(file, text);
  npm(['install', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], { cwd: directory });
}
