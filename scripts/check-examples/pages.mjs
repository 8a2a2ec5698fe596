// What a reader does with a page, step by step, from its blocks of code.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../run.mjs';

const { blocksOf } = await import('../../packages/plimsoll/test-dist/docs/pages.js');

/**
 * A command to type. Its `section` is the heading above it: what runs there ends before the next section begins.
 *
 * @typedef {{ line: number, section: number, command: string, prints: string[], stays: boolean }} Step
 *
 * @typedef {{ page: string, files: Map<string, string>, steps: Step[] }} Walk
 */

/** README, those of the packages, the guide and the reference. */
export const PAGES = [
  'README.md',
  ...readdirSync(join(root, 'packages')).map((name) => `packages/${name}/README.md`),
  ...['guide', 'reference'].flatMap((folder) =>
    readdirSync(join(root, 'docs', folder)).map((name) => `docs/${folder}/${name}`),
  ),
];

/** Commands that run until Ctrl-C. */
const STAYS = /(^|-- )(node server\.js|npm (run )?start)|plimsoll-worker/;
const ENDS_ITS_COMMAND = /plimsoll (tune|doctor)|--duration/;

/**
 * Blocks of `sh` are typed line by line. Blocks of JavaScript are files, named by a comment or by their line, and the last file
 * of a block is run; TypeScript is compiled first. Of the reference, and of TypeScript, only blocks without a directive run: a
 * directive declares what a block takes for granted. Tests of packages/plimsoll compile or parse every other block.
 *
 * @param {string} page
 * @returns {Walk}
 */
export function walkOf(page) {
  const text = readFileSync(join(root, page), 'utf8');
  const headings = text.split('\n').flatMap((row, index) => (/^## /.test(row) ? [index + 1] : []));
  /** @type {Walk} */
  const walk = { page, files: new Map(), steps: [] };
  const isReference = page.startsWith('docs/reference/');
  for (const { line, language, text: code, directive } of blocksOf(page, text)) {
    const section = headings.filter((heading) => heading < line).length;
    if (language === 'sh' && !isReference)
      for (const command of commandsIn(code))
        walk.steps.push({ line, section, command, prints: [], stays: staysIn(command) });
    if (
      !['js', 'mjs', 'cjs', 'ts'].includes(language) ||
      ((isReference || language === 'ts') && directive !== '')
    )
      continue;
    const files = filesIn(code, line, language);
    for (const [name, source] of files) {
      if (walk.files.has(name)) throw new Error(`${page}:${line} has another ${name}`);
      walk.files.set(name, source);
    }
    const main = [...files.keys()].at(-1);
    // Node 20 and 22 do not know `using`.
    const needsCompiler = language === 'ts' || /^(await )?using /m.test(code);
    const command = needsCompiler ? compiled([...files.keys()], line) : `node ${main}`;
    walk.steps.push({ line, section, command, prints: printsOf(code), stays: /\.listen\(/.test(code) });
  }
  return walk;
}

/** @param {string} command */
const staysIn = (command) => STAYS.test(command) && !ENDS_ITS_COMMAND.test(command);

/**
 * Compiled into a folder of its own: another block may have a JavaScript file of the same name.
 *
 * @param {string[]} files the one to run last
 * @param {number} line
 */
const compiled = (files, line) =>
  `esbuild --log-level=error --format=esm --target=node20 --outdir=line-${line} ${files.join(' ')} && node line-${line}/${files.at(-1)?.replace(/\.m?[jt]s$/, '.js')}`;

/** @param {string} code @returns {string[]} */
const commandsIn = (code) =>
  code
    .replaceAll(/\\\n */g, '')
    .split('\n')
    .filter((row) => row.trim() !== '' && !row.startsWith('#'));

/** @param {string} code @param {number} line @param {string} language @returns {Map<string, string>} */
function filesIn(code, line, language) {
  const isCommonJs = /\brequire\(|\bmodule\.exports\b/.test(code) && !/^import /m.test(code);
  let name = `line-${line}.${language === 'ts' ? 'ts' : isCommonJs ? 'cjs' : 'mjs'}`;
  const files = new Map();
  for (const row of code.split('\n')) {
    const [, named] = /^\/\/ ([\w-]+\.[cm]?[jt]s)$/.exec(row) ?? [];
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
