import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';

// @plimsoll/pool/testing runs the pool's own code with other threads and another time. That code is bundled once more as a
// function: each call of it gives a pool a copy of every module, so that no two pools share a clock.

/** The modules whose place `testing/replaced` takes; of some only for one that imports them. @type {Record<string, string | undefined>} */
const REPLACED = {
  'host/pump': undefined,
  'host/start-thread': undefined,
  'shared/clock': undefined,
  'shared/context': 'worker/observed',
  'shared/listener': undefined,
  'shared/post': undefined,
  'shared/table': 'worker/loop',
  'shared/timers': undefined,
  'worker/load-module': undefined,
  'worker/thread': undefined,
};

const IMPORT = /(\bfrom\s+'|\bimport\(')(\.[^']+)\.js'/g;

/**
 * Copies what `tsc` wrote, with the imports of what is replaced led to what replaces it. The modules of `testing/` get the
 * real ones.
 *
 * @param {string} dist
 * @param {string} staged
 */
export function stage(dist, staged) {
  rmSync(staged, { recursive: true, force: true });
  const used = new Set();
  for (const file of modulesIn(dist)) {
    const name = file.slice(0, -'.js'.length);
    const text = readFileSync(join(dist, file), 'utf8');
    const target = join(staged, file);
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, name.startsWith('testing') ? text : redirected(name, text, used));
  }
  const unused = Object.keys(REPLACED).filter((module) => !used.has(module));
  if (unused.length > 0) throw new Error(`nothing imports ${unused.join(', ')}, which tests are to replace`);
}

/** @param {string} dist */
const modulesIn = (dist) =>
  ['.', 'host', 'observe', 'piscina', 'shared', 'worker', 'testing'].flatMap((folder) =>
    readdirSync(join(dist, folder), { recursive: folder !== '.', encoding: 'utf8' })
      .filter((file) => file.endsWith('.js'))
      .map((file) => posix.join(folder, file.replaceAll('\\', '/'))),
  );

/** @param {string} name @param {string} text @param {Set<string>} used */
function redirected(name, text, used) {
  return text.replaceAll(IMPORT, (whole, start, path) => {
    const module = posix.join(posix.dirname(name), path);
    // Of another package: the copy stands two folders deeper.
    if (module.startsWith('../')) return `${start}../../${path}.js'`;
    if (!Object.hasOwn(REPLACED, module) || (REPLACED[module] ?? name) !== name) return whole;
    used.add(module);
    const by = posix.relative(posix.dirname(name), 'testing/replaced');
    return `${start}${by.startsWith('.') ? by : `./${by}`}.js'`;
  });
}

/**
 * Writes `testing/realm-source.js`.
 *
 * @param {string} dist
 * @param {(entry: string) => string} bundled what a module and all that it imports are as CommonJS
 */
export function bundleRealm(dist, bundled) {
  const staged = join(dist, 'testing/staged');
  stage(dist, staged);
  try {
    const code = bundled(join(staged, 'testing/simulated-thread.js'));
    if (/\brequire\(/.test(code)) throw new Error('the pool for tests requires what is no part of Node');
    const body = `const module = { exports: {} };\n${code}\nreturn module.exports;`;
    writeFileSync(
      join(dist, 'testing/realm-source.js'),
      `export function openRealm(SIMULATION) {\n${body}\n}\n`,
    );
  } finally {
    rmSync(staged, { recursive: true, force: true });
  }
}

/**
 * Writes the entry. It takes the rest of the package from the file that the main entry takes it from: a test may put this
 * entry in the place of that one.
 *
 * @param {string} dist
 * @param {(entry: string, external: string) => string} bundled
 * @param {readonly string[]} exports of the main entry
 */
export function bundleTesting(dist, bundled, exports) {
  const code = bundled(join(dist, 'testing.js'), join(dist, 'index.js')).replaceAll(
    /require\("[^"]*\/dist\/index\.js"\)/g,
    'require("./shared.cjs").index',
  );
  const names = [...new Set([...exports, 'TestPool'])].sort();
  writeFileSync(join(dist, 'node/testing.cjs'), code);
  writeFileSync(
    join(dist, 'node/testing.js'),
    `import value from './testing.cjs';\nexport const { ${names.join(', ')} } = value;\n`,
  );
}
