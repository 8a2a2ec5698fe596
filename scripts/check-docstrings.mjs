// `npm run check:docstrings`, after a build: every exported function and class has a docstring, with an example.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { root } from './run.mjs';

const STATEMENT = /^export (?:declare )?(?:abstract )?(?:async )?(class|function|const) (\w+)(.*)$/gm;
const RE_EXPORT = /^export \{([^}]*)\} from '([^']+)\.js';$/gm;

/** The types that a package exports from its root. @param {string} folder */
function entryOf(folder) {
  const { exports } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const { types } = exports['.'].require ?? exports['.'];
  return join(folder, types);
}

/** Where a name of an entry is declared, and under which name there. @param {string} file @param {string} name @returns {[string, string]} */
function declarationOf(file, name) {
  for (const [, names = '', from = ''] of readFileSync(file, 'utf8').matchAll(RE_EXPORT))
    for (const part of names.split(',').map((text) => text.trim().split(' as '))) {
      const target = join(dirname(file), `${from}.d.ts`);
      if ((part[1] ?? part[0]) === name && existsSync(target)) return declarationOf(target, part[0] ?? name);
    }
  return [file, name];
}

/** The names of the values that an entry exports. @param {string} file */
function valuesOf(file) {
  const text = readFileSync(file, 'utf8');
  const passedOn = [...text.matchAll(RE_EXPORT)].flatMap(([, names = '']) => names.split(','));
  const named = passedOn.map((name) => name.trim().split(' as ').at(-1) ?? '');
  const own = [...text.matchAll(STATEMENT)].map(([, , name = '']) => name);
  return [...named, ...own].filter((name) => /^\w+$/.test(name));
}

/** What is wrong with the docstring of a function or class; undefined: nothing. @param {string} file @param {string} name */
function faultOf(file, name) {
  const text = readFileSync(file, 'utf8');
  const found = [...text.matchAll(STATEMENT)].find((match) => match[2] === name);
  // An error class needs none beyond that of its base: it is caught, not made.
  if (/ extends \w*Error\b/.test(found?.[3] ?? '')) return;
  // A constant is a function when its type has an arrow; a schema or a text needs no example.
  if (found === undefined || (found[1] === 'const' && !/^: (?:<[^=]*>)?\(.*=>/.test(found[3] ?? ''))) return;
  const before = text.slice(0, found.index).trimEnd();
  if (!before.endsWith('*/')) return 'has no docstring';
  if (!before.slice(before.lastIndexOf('/**')).includes('@example')) return 'has no example';
}

const faults = readdirSync(join(root, 'packages')).flatMap((name) => {
  const entry = entryOf(join(root, 'packages', name));
  return valuesOf(entry).flatMap((value) => {
    const [file, declared] = declarationOf(entry, value);
    const fault = faultOf(file, declared);
    return fault === undefined ? [] : `${relative(root, file)}: ${declared} ${fault}`;
  });
});
for (const fault of faults) console.error(fault);
process.exitCode = faults.length > 0 ? 1 : 0;
