import { copyFileSync, existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { bundleRealm, bundleTesting } from './bundle-testing.mjs';
import { collectTypes } from './collect-types.mjs';

// What the published packages are made of, out of what tsc wrote:
// - dist/node: one CommonJS file that `require` gives and, through a thin ES module, `import` too, so that a process has one
//   state, and as few files as can be, because each costs whoever loads it a part of a millisecond;
// - dist/bundler: ES modules for bundlers, whose output then imports Node's modules instead of asking for a `require`;
// - dist/types: declarations, one set for both.
// Of plimsoll only plimsoll/mark is for programs that may be CommonJS; it has no state, so both may have one of their own.
const require = createRequire(import.meta.url);
/** @typedef {import('esbuild').BuildOptions} BuildOptions */
/** @typedef {(name: string, exports: string[]) => { required: string[], imported: string[] }} Write */

/** @type {BuildOptions} */
const OPTIONS = {
  bundle: true,
  platform: 'node',
  target: 'node20.19',
  logLevel: 'warning',
  legalComments: 'none',
};
/** Names stay, and no line is so long that Node prints screens of it with an error. */
const SMALL = { minifyWhitespace: true, lineLimit: 120 };

/** Bundles each package that has a module newer than its bundles. @param {string} root */
export function bundle(root) {
  const [pool, monitor, fastify, bullmq] = ['pool', 'monitor', 'fastify', 'bullmq'].map((name) =>
    join(root, 'packages', name),
  );
  // Its /observe takes the writers of metrics in.
  if (isStale(pool) || isNewer(modulesIn(join(monitor, 'dist/metrics')), pool)) {
    bundleWorker(join(pool, 'dist'));
    /** @type {Write} */
    const tinypool = (name, exports) => asNames(name, exports, 'Tinypool');
    const entries = { index: asValue, piscina: asValue, tinypool, internal: asNames };
    bundleHost(pool, entries, [], ['worker', 'observe'], bundlePoolForTests);
  }
  if (isStale(monitor)) {
    bundleThreads(join(monitor, 'dist'));
    bundleHost(monitor, { index: asNames, auto: asStart }, [], ['internal', 'resize']);
  }
  if (isStale(fastify)) {
    /** @type {Write} */
    const index = (name, exports) => asNames(name, exports, 'plimsollPool');
    bundleHost(fastify, { index }, ['@plimsoll/monitor', '@plimsoll/pool', 'fastify-plugin']);
  }
  if (isStale(bullmq)) {
    const needed = ['', '/internal', '/observe']
      .map((path) => `@plimsoll/pool${path}`)
      .concat('bullmq', 'ioredis');
    bundleHost(bullmq, { index: asNames }, needed);
  }
  bundleMark(join(root, 'packages/plimsoll/dist'));
}

/** @param {string} folder */
const modulesIn = (folder) =>
  readdirSync(folder)
    .filter((file) => file.endsWith('.js'))
    .map((file) => join(folder, file));

/** @param {string} dist */
function bundleMark(dist) {
  const [module, required] = ['mark.js', 'mark.cjs'].map((file) => join(dist, file));
  if (existsSync(required) && statSync(required).mtimeMs > statSync(module).mtimeMs) return;
  copyFileSync(join(dist, 'mark.d.ts'), join(dist, 'mark.d.cts'));
  writeFileSync(required, commonJs({ entryPoints: [module] }));
}

/** The worker's side as one text that the host's side carries, so that nothing can part them. @param {string} dist */
function bundleWorker(dist) {
  /** @param {string} file */
  const entryPoint = (file) => ({ entryPoints: [join(dist, 'worker', file)] });
  const entry = commonJs({ ...SMALL, minifySyntax: true, ...entryPoint('entry.js') });
  if (/\brequire\(/.test(entry)) throw new Error('the worker requires what is no part of Node');
  // A function in parentheses V8 compiles at once; through others it looks first, and compiles them when they are called.
  const start = `(function (importModule, makeCode) {${entry.replaceAll(/\bimport\(/g, 'importModule(')}})`;
  writeTexts(join(dist, 'worker'), { BOOT: commonJs(entryPoint('boot.js')), ENTRY: start });
}

/** @param {string} dist @param {readonly string[]} exports of the main entry */
function bundlePoolForTests(dist, exports) {
  bundleRealm(dist, (entry) => commonJs({ ...SMALL, entryPoints: [entry] }));
  /** @type {(entry: string, external: string) => string} */
  const bundled = (entry, external) => commonJs({ ...SMALL, entryPoints: [entry], external: [external] });
  bundleTesting(dist, bundled, exports);
  return 'testing';
}

/** The threads of the monitor in the same way; they run nobody else's code. @param {string} dist */
function bundleThreads(dist) {
  /** @param {string} entry */
  const textOf = (entry) => {
    const text = commonJs({ ...SMALL, entryPoints: [join(dist, entry)] });
    if (/\brequire\(/.test(text)) throw new Error(`${entry} requires what is no part of Node`);
    return text;
  };
  writeTexts(join(dist, 'worker'), { SOURCE: textOf('worker/entry.js') });
  const starter = `(() => { const module = { exports: {} };\n${textOf('resize/start-engine.js')}\nreturn module.exports; })()`;
  writeTexts(join(dist, 'resize'), { ENGINE: textOf('resize/engine.js'), STARTER: starter });
}

/** @param {string} folder @param {Record<string, string>} texts */
function writeTexts(folder, texts) {
  const lines = Object.entries(texts).map(
    ([name, text]) => `export const ${name} = ${JSON.stringify(text)};\n`,
  );
  writeFileSync(join(folder, 'source.js'), lines.join(''));
}

/** CommonJS that takes Node's modules without `require`, which bundles and eval'd ES modules have none of. @param {BuildOptions} options */
function commonJs(options) {
  const { outputFiles } = esbuild().buildSync({ ...OPTIONS, ...options, format: 'cjs', write: false });
  return outputFiles[0].text.replaceAll('require("node:', 'process.getBuiltinModule("node:');
}

/**
 * @param {string} folder
 * @param {Record<string, Write>} entries
 * @param {string[]} [external]
 * @param {string[]} [alone] entries without a state of their own, for who shall not load all the rest
 * @param {(dist: string, exports: readonly string[]) => string} [further] bundles one more entry, out of the exports of the first,
 *   and gives its name
 */
function bundleHost(folder, entries, external = [], alone = [], further) {
  const dist = join(folder, 'dist');
  const names = Object.keys(entries);
  const [node, bundler, types] = ['node', 'bundler', 'types'].map((name) => join(dist, name));
  for (const output of [node, bundler, types]) rmSync(output, { recursive: true, force: true });
  const { outputs } = esbuild().buildSync({
    ...{ ...OPTIONS, ...SMALL, format: 'esm', splitting: true, chunkNames: 'shared-[hash]', metafile: true },
    ...{ entryPoints: names.map((name) => join(dist, `${name}.js`)), external, outdir: bundler },
  }).metafile;
  const stdin = { contents: names.map(exportAll).join('\n'), resolveDir: dist };
  mkdirSync(node);
  writeFileSync(join(node, 'shared.cjs'), commonJs({ ...SMALL, stdin, external }));
  /** @param {string} name */
  const exportsOf = (name) => {
    const output = Object.entries(outputs).find(([path]) => path.endsWith(`/bundler/${name}.js`));
    if (output === undefined) throw new Error(`esbuild wrote no ${name}.js`);
    return output[1].exports;
  };
  for (const [name, write] of Object.entries(entries)) {
    const { required, imported } = write(name, exportsOf(name));
    const given = `const { ${name} } = require('./shared.cjs');`;
    writeFileSync(join(node, `${name}.cjs`), `${[given, ...required].join('\n')}\n`);
    writeFileSync(join(node, `${name}.js`), `${imported.join('\n')}\n`);
  }
  for (const name of alone) bundleAlone(dist, name);
  const last = further === undefined ? [] : [further(dist, exportsOf(names[0] ?? ''))];
  collectTypes(dist, [...names, ...alone, ...last], join(folder, 'types'), types);
}

/** @param {string} dist @param {string} name */
function bundleAlone(dist, name) {
  const input = { entryPoints: [join(dist, `${name}.js`)] };
  const { outputs } = esbuild().buildSync({
    ...{ ...OPTIONS, ...SMALL, ...input, format: 'esm', metafile: true, outdir: join(dist, 'bundler') },
  }).metafile;
  const exports = Object.values(outputs).flatMap((output) => output.exports);
  writeFileSync(join(dist, `node/${name}.cjs`), commonJs({ ...SMALL, ...input }));
  writeFileSync(
    join(dist, `node/${name}.js`),
    `import value from './${name}.cjs';\nexport const { ${exports.join(', ')} } = value;\n`,
  );
}

/** @param {string} name */
const exportAll = (name) => `export * as ${name} from './${name}.js';`;

// What `import` finds in Node imports what `require` finds, not the large file: Node would look through that for names of
// exports, which takes as long as all the rest.

/** `require` gives the default export, which has the others as properties; or all of them when there is none. @type {Write} */
function asValue(name, exports) {
  const named = exports.filter((one) => one !== 'default');
  const hasDefault = named.length < exports.length;
  const imported = [
    `import value from './${name}.cjs';`,
    `export const { ${named.join(', ')} } = value;`,
    ...(hasDefault ? ['export default value;'] : []),
  ];
  return { required: [`module.exports = ${hasDefault ? `${name}.default` : name};`], imported };
}

/**
 * `require` gives all exports, the default by the mark that compilers know; the default has a name too.
 *
 * @param {string} name
 * @param {string[]} exports
 * @param {string} [nameOfDefault] where there is one
 */
function asNames(name, exports, nameOfDefault) {
  const mark = "Object.defineProperty(exports, '__esModule', { value: true });";
  const named = exports.map((one) => (one === 'default' ? `${nameOfDefault} as default` : one));
  return {
    required: [mark, ...exports.map((one) => `exports.${one} = ${name}.${one};`)],
    imported: [`export { ${named.join(', ')} } from './${name}.cjs';`],
  };
}

/** Loading it calls `start()`: what others import shares its code, and must not start anything. @type {Write} */
const asStart = (name) => ({
  required: [`exports.monitor = ${name}.start();`],
  imported: [`export { monitor } from './${name}.cjs';`],
});

/** Asked for here, because this module is loaded before anything is installed. @returns {typeof import('esbuild')} */
const esbuild = () => require('esbuild');

const BUNDLED = /^(node|bundler|types)\b|\bsource\.js$/;

/** @param {string} folder */
function isStale(folder) {
  const [dist, types] = ['dist', 'types'].map((name) => join(folder, name));
  if (!existsSync(lastOf(folder))) return true;
  const compiled = readdirSync(dist, { recursive: true, encoding: 'utf8' }).filter(
    (file) => /\.(js|d\.ts)$/.test(file) && !BUNDLED.test(file),
  );
  const inputs = [
    ...compiled.map((file) => join(dist, file)),
    ...readdirSync(types).map((file) => join(types, file)),
    ...['bundle.mjs', 'bundle-testing.mjs', 'collect-types.mjs'].map((file) =>
      join(import.meta.dirname, file),
    ),
  ];
  return isNewer(inputs, folder);
}

/** What is written last. @param {string} folder */
const lastOf = (folder) => join(folder, 'dist/types/package.json');

/** @param {readonly string[]} files @param {string} folder */
const isNewer = (files, folder) =>
  files.some((file) => statSync(file).mtimeMs > statSync(lastOf(folder)).mtimeMs);
