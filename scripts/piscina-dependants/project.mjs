import { execFileSync, spawnSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { npm, root } from '../run.mjs';

/**
 * A package that depends on Piscina, and what it is given to do.
 *
 * @typedef {object} Dependant
 * @property {Record<string, string>} packages to install, the dependant first, with versions
 * @property {string} what it does, for the table
 * @property {Record<string, string>} files written before it runs
 * @property {string[]} command arguments of node
 * @property {Record<string, string>} [env]
 * @property {string[]} [produces] folders whose files are compared
 * @property {RegExp | string} [unsteady] what differs between any two runs of it
 * @property {number} [ends] its exit code, 0 by default
 */
/** @typedef {{ place: string, version: string }} Replaced */
/** @typedef {{ directory: string, places: Replaced[] }} Project */
/** @typedef {{ end: string | number | null, said: string, files: Record<string, string>, tasks: number, ms: number }} Outcome */

const cache = join(root, '.cache/piscina-dependants');
const swap = fileURLToPath(new URL('swap.cjs', import.meta.url));

/** What the package exports besides the class. */
const EXPORTS = [
  ...['Piscina', 'version', 'move', 'isWorkerThread', 'workerData', 'FixedQueue', 'ArrayTaskQueue'],
  ...['transferableSymbol', 'valueSymbol', 'queueOptionsSymbol'],
];

/** A dependant's folder: installed if it is not, its `piscina` replaced, and with this state of the drop-in. @type {(dependant: Dependant) => Project} */
export function prepare({ packages }) {
  const [first] = Object.keys(packages);
  const directory = join(cache, first.replaceAll('/', '+'));
  install(directory, packages);
  putDropIn(join(directory, 'node_modules/@plimsoll/pool'));
  return { directory, places: piscinas(directory).map(replace) };
}

/** @type {(directory: string, packages: Record<string, string>) => void} */
function install(directory, packages) {
  const text = `${JSON.stringify({ private: true, dependencies: packages }, null, 2)}\n`;
  const file = join(directory, 'package.json');
  const stamp = join(directory, 'node_modules/.installed');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === text) return;
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(directory, { recursive: true });
  writeFileSync(file, text);
  npm(['install', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], { cwd: directory });
  writeFileSync(stamp, text);
}

/** The package as it would be published. @param {string} place */
function putDropIn(place) {
  rmSync(place, { recursive: true, force: true });
  mkdirSync(place, { recursive: true });
  const packed = mkdtempSync(join(cache, 'packed-'));
  try {
    npm(['pack', '--silent', '--pack-destination', packed], {
      cwd: join(root, 'packages/pool'),
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    const [tarball] = readdirSync(packed);
    execFileSync('tar', ['-xzf', join(packed, tarball), '-C', place, '--strip-components=1']);
  } finally {
    rmSync(packed, { recursive: true, force: true });
  }
}

/** Every copy of Piscina that npm has put into the tree. @param {string} directory */
function piscinas(directory) {
  const found = readdirSync(join(directory, 'node_modules'), { recursive: true })
    .map(String)
    .filter((path) => /(^|node_modules[\\/])piscina[\\/]package\.json$/.test(path));
  if (found.length === 0) throw new Error(`${relative(root, directory)} does not depend on piscina`);
  return found.map((path) => join(directory, 'node_modules', dirname(path)));
}

/** Piscina moves into `original`; what stands in its place gives that or the drop-in. @type {(place: string) => Replaced} */
function replace(place) {
  const original = join(place, 'original');
  if (!existsSync(original)) {
    const aside = `${place}-aside`;
    renameSync(place, aside);
    mkdirSync(place);
    renameSync(aside, original);
  }
  const { version } = JSON.parse(readFileSync(join(original, 'package.json'), 'utf8'));
  const exports = { import: './swap.mjs', require: './swap.cjs' };
  writeFileSync(
    join(place, 'package.json'),
    JSON.stringify({ name: 'piscina', version, main: './swap.cjs', exports }),
  );
  copyFileSync(swap, join(place, 'swap.cjs'));
  const names = EXPORTS.map((name) => `export const ${name} = piscina.${name};\n`);
  writeFileSync(
    join(place, 'swap.mjs'),
    `import piscina from './swap.cjs';\nexport default piscina;\n${names.join('')}`,
  );
  return { place, version };
}

/**
 * Runs the dependant with one of the pools: what it said, what it wrote, how many tasks it gave to the pool.
 *
 * @type {(dependant: Dependant, project: Project, pool: 'Piscina' | 'drop-in') => Outcome}
 */
export function run({ files, command, env, produces = [], unsteady = '' }, { directory, places }, pool) {
  const log = join(directory, 'tasks.log');
  rmSync(log, { force: true });
  for (const folder of produces) rmSync(join(directory, folder), { recursive: true, force: true });
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, file)), { recursive: true });
    writeFileSync(join(directory, file), text);
  }
  for (const { place } of places) writeFileSync(join(place, 'choice.json'), JSON.stringify({ pool, log }));
  const started = performance.now();
  const { status, signal, stdout, stderr } = spawnSync(process.execPath, command, {
    cwd: directory,
    encoding: 'utf8',
    env: { ...process.env, NO_COLOR: '1', ...env },
    timeout: 300_000,
    killSignal: 'SIGKILL',
  });
  const ms = performance.now() - started;
  return {
    ms,
    end: signal ?? status,
    said: steady(stdout + stderr, directory).replaceAll(unsteady, ''),
    files: Object.fromEntries(produces.flatMap((folder) => read(directory, folder))),
    tasks: existsSync(log)
      ? readFileSync(log, 'utf8')
          .split('\n')
          .reduce((sum, count) => sum + Number(count), 0)
      : 0,
  };
}

/** Without what differs between any two runs. @type {(text: string, directory: string) => string} */
const steady = (text, directory) =>
  text
    .replaceAll(directory, '.')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'DATE')
    .replaceAll(/[\d.]+ ?(ms|seconds)\b/g, 'TIME');

/** @type {(directory: string, folder: string) => [string, string][]} */
function read(directory, folder) {
  if (!existsSync(join(directory, folder))) return [];
  return readdirSync(join(directory, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
    .sort()
    .map((path) => [relative(directory, path), readFileSync(path, 'utf8')]);
}
