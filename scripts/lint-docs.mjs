// `npm run lint:docs`: phrases that CONTRIBUTING.md rules out, and the reading grade of each guide page.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './run.mjs';

const MOST_GRADE = 9;
/** Release notes and generated pages. */
const LEFT_OUT = /^CHANGELOG\.md$|classification\.md$/;

/** The pages of a folder. @param {string} folder */
const pagesIn = (folder) =>
  readdirSync(join(root, folder))
    .filter((name) => name.endsWith('.md') && !LEFT_OUT.test(name))
    .map((name) => join(folder, name));

const guides = new Set(pagesIn('docs/guide'));
const packages = readdirSync(join(root, 'packages')).map((name) => `packages/${name}/README.md`);
const pages = [...guides, ...pagesIn('docs/reference'), ...packages, ...pagesIn('.')];

/** @type {[pattern: RegExp, better: string][]} */
const RULES = [
  [/\b(?!code )(\w+) \1\b/gi, 'say the word once'],
  [/\bjobs? of the pool\b/gi, 'pool jobs'],
  [/\boptions? of the pool\b/gi, "the pool's options"],
  [/\bmean latency of (a|the) requests?\b/gi, 'mean request latency'],
  [/\bfor ever\b/gi, 'forever'],
  [/\bbeside (its peers|piscina|other pools|the baseline)\b/gi, 'compared with …'],
  [/\bwith(out)? more ado\b/gi, 'with no extra setup'],
  [/\bgives (what|a promise|the result|back)\b/gi, 'returns …'],
  [/\b(nothing|all|none|what) of (what|which|that)\b/gi, 'name the thing'],
  [/\bthe which\b/gi, 'which'],
  [/\bso many\b/gi, 'this many'],
  [/\bwork that computes\b/gi, 'CPU-bound work'],
];

/** Prose alone: no code, comments, quotations, tables and headings; code spans and links become words. @param {string} text */
const proseOf = (text) =>
  text
    .replace(/^( *)```[\s\S]*?^\1```\s*?$/gm, blank)
    .replace(/<!--[\s\S]*?-->/g, blank)
    .replace(/^ *(?:\||#|!\[).*$/gm, '')
    .replace(/"[^"\n]*"/g, '')
    .replace(/`[^`]*`/g, (code) => `code${blank(code)}`)
    .replace(/\]\([^)]*\)/g, blank)
    .replace(/[[*_]/g, '');

/** The line breaks of a text. @param {string} text */
const blank = (text) => text.replace(/[^\n]/g, '');

/** @param {string} word */
const syllablesOf = (word) =>
  Math.max(
    1,
    word
      .toLowerCase()
      .replace(/(?:[^laeiouy]es|[^tdaeiouy]ed|[^l]e)$/, (end) => end[0] ?? '')
      .match(/[aeiouy]+/g)?.length ?? 1,
  );

/** The Flesch-Kincaid grade. A list item and a paragraph end a sentence. @param {string} prose */
function gradeOf(prose) {
  const sentences = prose
    .replace(/^ *(?:[-*]|\d+\.) /gm, '. ')
    .split(/[.!?](?=\s|$)|\n\s*\n/)
    .map((sentence) => sentence.match(/[A-Za-z][A-Za-z']*/g) ?? [])
    .filter(({ length }) => length > 0);
  const words = sentences.flat();
  const syllables = words.reduce((sum, word) => sum + syllablesOf(word), 0);
  return 0.39 * (words.length / sentences.length) + 11.8 * (syllables / words.length) - 15.59;
}

let faults = 0;
for (const page of pages) {
  const prose = proseOf(readFileSync(join(root, page), 'utf8'));
  for (const [pattern, better] of RULES)
    for (const { index, 0: found } of prose.matchAll(pattern)) {
      faults++;
      console.log(`${page}:${prose.slice(0, index).split('\n').length}: "${found}": ${better}`);
    }
  if (!guides.has(page)) continue;
  const grade = gradeOf(prose);
  if (grade > MOST_GRADE) faults++;
  console.log(`${page}: grade ${grade.toFixed(1)}${grade > MOST_GRADE ? `, above ${MOST_GRADE}` : ''}`);
}
process.exitCode = faults > 0 ? 1 : 0;
