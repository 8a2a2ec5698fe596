// What a reader does with a page, step by step, from its blocks of code.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../run.mjs';

const { blocksOf } = await import('../../packages/plimsoll/test-dist/docs/pages.js');

/**
 * A command to type. Its `section` is the heading above it: what runs there ends before the next section begins.
 *
 * @typedef {{ line: number, section: number, command: string, prints: string[] }} Step
 *
 * @typedef {{ page: string, files: Map<string, string>, steps: Step[] }} Walk
 */

/** README, those of the packages, and the guide. */
export const PAGES = [
  'README.md',
  ...readdirSync(join(root, 'packages')).map((name) => `packages/${name}/README.md`),
  ...readdirSync(join(root, 'docs/guide')).map((name) => `docs/guide/${name}`),
];

/**
 * Blocks of `sh` are typed line by line. Blocks of JavaScript are files, named by a comment or by their line, and the last file
 * of a block is run. Other languages are not run: `console` and `text` show what was printed, and tests of packages/plimsoll
 * compile or parse the rest.
 *
 * @param {string} page
 * @returns {Walk}
 */
export function walkOf(page) {
  const text = readFileSync(join(root, page), 'utf8');
  const headings = text.split('\n').flatMap((row, index) => (/^## /.test(row) ? [index + 1] : []));
  /** @type {Walk} */
  const walk = { page, files: new Map(), steps: [] };
  for (const { line, language, text: code } of blocksOf(page, text)) {
    const section = headings.filter((heading) => heading < line).length;
    if (language === 'sh')
      for (const command of commandsIn(code)) walk.steps.push({ line, section, command, prints: [] });
    if (!['js', 'mjs', 'cjs'].includes(language)) continue;
    const files = filesIn(code, line);
    for (const [name, source] of files) {
      if (walk.files.has(name)) throw new Error(`${page}:${line} has another ${name}`);
      walk.files.set(name, source);
    }
    const main = [...files.keys()].at(-1);
    walk.steps.push({ line, section, command: `node ${main}`, prints: printsOf(code) });
  }
  return walk;
}

/** @param {string} code @returns {string[]} */
const commandsIn = (code) =>
  code
    .replaceAll(/\\\n */g, '')
    .split('\n')
    .filter((row) => row.trim() !== '' && !row.startsWith('#'));

/** @param {string} code @param {number} line @returns {Map<string, string>} */
function filesIn(code, line) {
  const isCommonJs = /\brequire\(|\bmodule\.exports\b/.test(code) && !/^import /m.test(code);
  let name = `line-${line}.${isCommonJs ? 'cjs' : 'mjs'}`;
  const files = new Map();
  for (const row of code.split('\n')) {
    const [, named] = /^\/\/ ([\w-]+\.[cm]?js)$/.exec(row) ?? [];
    if (named !== undefined) name = named;
    files.set(name, `${files.get(name) ?? ''}${row}\n`);
  }
  return files;
}

/** What comments behind `console.log` promise, where they are values: `// 10`. @param {string} code @returns {string[]} */
const printsOf = (code) =>
  [...code.matchAll(/console\.log\(.*\/\/ ((?:-?\d|\[|\{|'|").*)$/gm)].map(([, value]) =>
    value.split(';')[0].trim().replaceAll(/^'|'$/g, ''),
  );
