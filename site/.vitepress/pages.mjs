// The pages of docs/, and what is read off them.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const docs = fileURLToPath(new URL('../../docs/', import.meta.url));

export const SECTIONS = [
  ['Guide', 'guide'],
  ['Reference', 'reference'],
  ['How it works', 'internals'],
  ['Results', 'results'],
  ['Decisions', 'decisions'],
];

/** Where the pages of folders are indexes, the site has one of its own. */
export const REWRITES = { 'README.md': 'contents.md', 'decisions/README.md': 'decisions/index.md' };

export const readPage = (page) => readFileSync(join(docs, page), 'utf8');

/** The pages of a folder in the order of docs/README.md, which names each of them; those that it does not name are last. */
export function pagesOf(folder) {
  const index = readPage('README.md');
  const place = (page) => {
    const at = index.indexOf(page);
    return at === -1 ? Number.POSITIVE_INFINITY : at;
  };
  return readdirSync(join(docs, folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `${folder}/${name}`)
    .sort((a, b) => place(a) - place(b) || a.localeCompare(b))
    .map((page) => ({ page, text: titleOf(readPage(page)), link: linkOf(page) }));
}

/** The path of a page on the site. */
export const linkOf = (page) =>
  `/${(REWRITES[page] ?? page).replace(/\.md$/, '').replace(/(^|\/)index$/, '$1')}`;

/** The first heading, without its marks; of a command's page the command's name. */
const titleOf = (text) =>
  sentence((/^# (.+)$/m.exec(text)?.[1] ?? '').replaceAll('`', '').replace(/^plimsoll (?=\w+$)/, ''));

/** In sentence case. Names that begin with a sign stay. */
export const sentence = (title) => title.replace(/^[a-z]/, (first) => first.toUpperCase());

/** The first paragraph below the heading, in one line, without links. */
export const summaryOf = (text) =>
  (/^# .+\n+(?:```[\s\S]*?```\n+)?((?:[^\n#|<`-].*\n)+)/m.exec(text)?.[1] ?? '')
    .trim()
    .replaceAll(/\s*\n\s*/g, ' ')
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1');
