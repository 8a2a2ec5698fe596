// `npm run check:packages`: pack every public package, lint the tarball, install it in an empty folder and use it there.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, posix } from 'node:path';
import { TYPES } from './check-packages/types.mjs';
import { USES } from './check-packages/uses.mjs';
import { packAll } from './pack.mjs';
import { npm, root, run } from './run.mjs';
import { setup } from './setup.mjs';

/** @typedef {import('./pack.mjs').Packed} Packed */

/** What a tarball may weigh. A package that is not listed has no limit yet, and fails. @type {Record<string, number>} */
const MOST_KILOBYTES = {
  plimsoll: 560,
  '@plimsoll/pool': 340,
  '@plimsoll/monitor': 100,
  '@plimsoll/fastify': 30,
  '@plimsoll/bullmq': 60,
};

/** Parts of a path that only this repository needs. */
const STRAY = /(^|\/)(test|test-dist|src|scripts|fixtures)\/|\.(test|tsbuildinfo|map)\b/;

setup();
const directory = mkdtempSync(join(tmpdir(), 'plimsoll-pack-'));
process.on('exit', () => rmSync(directory, { recursive: true, force: true }));
const packages = packAll(directory);
for (const packed of packages) {
  checkContent(packed);
  checkManifest(packed);
  lint(packed);
  use(packed, install(packed, packages));
}

/** @param {Packed} packed */
function checkContent({ manifest: { name }, paths, size }) {
  console.log(`${name}: ${paths.length} files, ${Math.round(size / 1024)} KB packed`);
  const stray = paths.filter((path) => STRAY.test(path));
  if (stray.length > 0) throw new Error(`${name} packs what nobody needs: ${stray.join(', ')}`);
  for (const file of ['LICENSE', 'README.md'])
    if (!paths.includes(file)) throw new Error(`${name} packs no ${file}`);
  const most = MOST_KILOBYTES[name] ?? 0;
  if (size > most * 1024)
    throw new Error(`${name} is larger than the ${most} KB that scripts/check-packages.mjs allows`);
}

/** Where it belongs, and that every file which it names is in the tarball. @param {Packed} packed */
function checkManifest({ folder, manifest, paths }) {
  const { name, bin = {}, main, types, exports, imports = {}, repository, bugs, homepage } = manifest;
  const { publishConfig, keywords, description, license } = manifest;
  if (repository?.directory !== folder) throw new Error(`repository.directory of ${name} is not ${folder}`);
  if (publishConfig?.access !== 'public') throw new Error(`${name} would be published for its owner only`);
  for (const [key, value] of Object.entries({ bugs, homepage, keywords, description, license }))
    if (value === undefined) throw new Error(`package.json of ${name} has no ${key}`);
  const missing = pathsIn([bin, main, types, exports, imports]).filter((path) => !isIn(paths, path));
  if (missing.length > 0) throw new Error(`${name} names files that it does not pack: ${missing.join(', ')}`);
}

/** Every text in a part of a manifest. @param {unknown} part @returns {string[]} */
function pathsIn(part) {
  if (typeof part === 'string') return [part];
  return typeof part === 'object' && part !== null ? Object.values(part).flatMap(pathsIn) : [];
}

/** @type {(paths: readonly string[], path: string) => boolean} */
function isIn(paths, path) {
  const [start, end] = posix.normalize(path).split('*');
  return end === undefined
    ? paths.includes(start)
    : paths.some((one) => one.startsWith(start) && one.endsWith(end));
}

/** @param {Packed} packed */
function lint({ manifest: { name }, tarball }) {
  const [publint, attw] = ['publint/src/cli.js', '@arethetypeswrong/cli/dist/index.js'];
  const profile = name === 'plimsoll' ? 'esm-only' : 'strict';
  run(process.execPath, [join(root, 'node_modules', publint), '--strict', tarball]);
  run(process.execPath, [join(root, 'node_modules', attw), '--profile', profile, '--quiet', tarball]);
}

/**
 * Installs it in an empty folder. What it needs of this repository is not the registry's, but that of this state of the code.
 *
 * @type {(packed: Packed, packages: readonly Packed[]) => string}
 */
function install({ manifest, tarball }, packages) {
  const project = mkdtempSync(join(directory, 'project-'));
  writeFileSync(join(project, 'package.json'), '{ "private": true, "type": "module" }\n');
  const siblings = packages.filter((other) => needs(manifest).includes(other.manifest.name));
  const tarballs = [tarball, ...siblings.map((other) => other.tarball)];
  npm(['install', '--no-audit', '--no-fund', '--loglevel=error', ...tarballs], { cwd: project });
  return project;
}

/** @param {Packed['manifest']} manifest @returns {string[]} */
function needs({ dependencies = {} }) {
  return Object.keys(dependencies);
}

/** @type {(packed: Packed, project: string) => void} */
function use({ manifest }, project) {
  const { name } = manifest;
  compile(project, TYPES[name] ?? {}, needs(manifest).length > 0);
  const { programs = [], commands = [], files = {} } = USES[name] ?? {};
  write(project, files);
  for (const program of [`await import(${JSON.stringify(name)})`, ...programs])
    run(process.execPath, ['--input-type=module', '-e', program], { cwd: project });
  for (const command of commands) npm(['exec', '--no', '--', ...command], { cwd: project });
}

/**
 * @param {string} project
 * @param {Record<string, string>} files
 * @param {boolean} skipLibCheck of a package with dependencies: the declarations of other people are not ours to check
 */
function compile(project, files, skipLibCheck) {
  const names = Object.keys(files);
  if (names.length === 0) return;
  write(project, files);
  const types = ['--types', 'node', '--typeRoots', join(root, 'node_modules/@types')];
  const output = [
    '--noEmit',
    '--module',
    'node16',
    '--target',
    'es2023',
    '--skipLibCheck',
    String(skipLibCheck),
  ];
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  run(process.execPath, [tsc, '--strict', ...output, ...types, ...names], { cwd: project });
}

/** @type {(project: string, files: Record<string, string>) => void} */
function write(project, files) {
  for (const [file, text] of Object.entries(files)) writeFileSync(join(project, file), text);
}
