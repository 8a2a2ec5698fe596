import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { describe, test } from 'node:test';
import { allPages, anchorsOf, blocksOf, proseOf, readPage, root } from './pages.js';

const pages = allPages();
const REPOSITORY = 'https://github.com/plimsoll-js/plimsoll/blob/main/';

/** Targets of links and pictures in prose, code spans left out. */
const linksOf = (text: string): string[] =>
  [
    ...proseOf(text)
      .replace(/`[^`\n]*`/g, 'code')
      .matchAll(/\]\(\s*<?([^)\s>]+)>?(?:\s+"[^"]*")?\s*\)/g),
  ].map(([, target = '']) => target);

/** Why a link of a page leads nowhere, or undefined. */
function fault(page: string, link: string): string | undefined {
  const local = link.startsWith(REPOSITORY) ? `/${link.slice(REPOSITORY.length)}` : link;
  if (/^[a-z][a-z0-9+.-]*:/i.test(local)) return undefined;
  const [path = '', anchor] = local.split('#');
  const target = path.startsWith('/') ? path.slice(1) : posix.join(posix.dirname(page), decodeURI(path));
  const file = path === '' ? page : target;
  if (!existsSync(join(root, file))) return `${page}: ${link} leads to no file`;
  if (anchor === undefined || !file.endsWith('.md')) return undefined;
  return anchorsOf(readPage(file)).has(anchor) ? undefined : `${page}: ${link} leads to no heading`;
}

test('every link between pages leads to a file and a heading', () => {
  const links = pages.flatMap((page) => linksOf(readPage(page)).map((link) => ({ page, link })));
  assert.ok(links.length > 200, 'the links were read');
  assert.deepEqual(
    links.map(({ page, link }) => fault(page, link)).filter((reason) => reason !== undefined),
    [],
  );
});

test('links that lead nowhere are found', () => {
  assert.match(fault('README.md', 'docs/none.md') ?? '', /leads to no file/);
  assert.match(fault('README.md', 'docs/README.md#none') ?? '', /leads to no heading/);
  assert.match(fault('packages/pool/README.md', `${REPOSITORY}docs/none.md`) ?? '', /leads to no file/);
});

/** Where the sources of the repository name a page or a result that is not there. */
function staleIn(folder: string): string[] {
  const files = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).filter((file) =>
    /(?<!\.d)\.[cm]?[jt]s$/.test(file),
  );
  return files.flatMap((file) => {
    const source = readFileSync(join(root, folder, file), 'utf8');
    const paths = [...source.matchAll(/\bdocs\/[\w/-]+\.md\b/g)].map(([path]) => path);
    // Generated pages are results, so that is where their links begin.
    const links = [...source.matchAll(/\]\((\.\.\/[\w/-]+\.md)/g)].map(([, link = '']) =>
      posix.join('docs/results', link),
    );
    return [...paths, ...links]
      .filter((path) => !existsSync(join(root, path)))
      .map((path) => `${folder}/${file}: ${path}`);
  });
}

test('sources name only pages that are there', () => {
  const packages = readdirSync(join(root, 'packages')).map((name) => `packages/${name}/src`);
  const folders = [...packages, 'benchmarks/src', 'setups/src', 'studies/src', 'scripts'];
  assert.deepEqual(folders.flatMap(staleIn), []);
});

test('package pages link absolutely: they are read on npm, too', () => {
  const relative = pages
    .filter((page) => /^packages\/[^/]+\/README\.md$/.test(page))
    .flatMap((page) => linksOf(readPage(page)).map((link) => `${page}: ${link}`))
    .filter((link) => !/: (https:|#)/.test(link));
  assert.deepEqual(relative, []);
});

test('the page of findings explains every id of the sources, and no other', () => {
  const folder = join(root, 'packages/plimsoll/src');
  const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.c?ts$/.test(file))
    .map((file) => readFileSync(join(folder, file), 'utf8'));
  const ids = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, id = '']) => id);
  const used = new Set(
    sources.flatMap((source) => ids(source, /'((?:bench|timeline|trace|tune)\.[a-z]+(?:-[a-z]+)*)'/g)),
  );
  const headings = ids(readPage('docs/reference/findings.md'), /^## ((?:bench|timeline|trace|tune)\..*)$/gm);
  const explained = headings.flatMap((heading) => heading.split(', '));
  assert.ok(used.size > 40, 'the ids were read');
  assert.deepEqual(
    [...used].filter((id) => !explained.includes(id)),
    [],
    'not explained',
  );
  // Some ids are put together out of the command and a name.
  const isMade = (id: string) => used.has(id) || sources.some((source) => hasName(source, id));
  assert.deepEqual(
    explained.filter((id) => !isMade(id)),
    [],
    'no such finding',
  );
});

const hasName = (source: string, id: string): boolean =>
  new RegExp(`\\b${id.slice(id.indexOf('.') + 1)}\\b`).test(source);

test('anchors are made as GitHub makes them', () => {
  const page =
    '# `pool.run(task, options?)`\n\n## bench.late-loop\n\n## A [link](x.md)\n\n```\n# code\n```\n## A link\n';
  assert.deepEqual([...anchorsOf(page)], ['poolruntask-options', 'benchlate-loop', 'a-link', 'a-link-1']);
});

test('the indexes name every page of their folders', () => {
  const named = (index: string) =>
    new Set(
      linksOf(readPage(index)).map((link) => posix.join(posix.dirname(index), link.split('#')[0] ?? '')),
    );
  const docs = named('docs/README.md');
  const decisions = named('docs/decisions/README.md');
  const missing = pages.filter((page) => {
    if (!page.startsWith('docs/') || /^docs\/(README|index)\.md$/.test(page)) return false;
    const isDecision = page.startsWith('docs/decisions/') && page !== 'docs/decisions/README.md';
    return !(isDecision ? decisions : docs).has(page);
  });
  assert.deepEqual(missing, []);
});

describe('lengths', () => {
  const linesOf = (page: string): string[] => readPage(page).trimEnd().split('\n');
  const limits: [string, number][] = [
    ['README.md', 90],
    ['ARCHITECTURE.md', 120],
    ...pages
      .filter((page) => page.startsWith('docs/decisions/') && !page.endsWith('README.md'))
      .map((page): [string, number] => [page, 40]),
  ];
  test('README, ARCHITECTURE and every decision keep to their length', () => {
    const long = limits.filter(([page, limit]) => linesOf(page).length > limit);
    assert.deepEqual(long, []);
  });

  test('prose has at most 120 columns; tables, generated pages and the notes of private packages may have more', () => {
    const long = pages
      .filter(
        (page) =>
          !/^(benchmarks|examples|setups|studies|docs\/results)\/|^docs\/reference\/classification\.md$/.test(
            page,
          ),
      )
      .flatMap((page) =>
        proseOf(readPage(page))
          .split('\n')
          .map((text, index) => ({ text, place: `${page}:${index + 1}` })),
      )
      .filter(({ text }) => [...text].length > 120 && !text.startsWith('|'))
      .map(({ place }) => place);
    assert.deepEqual(long, []);
  });
});

test('every block says in which language it is, or shows output', () => {
  const known = new Set(['', 'sh', 'console', 'text', 'js', 'mjs', 'cjs', 'ts', 'json', 'diff', 'yaml']);
  const unknown = pages.flatMap((page) => blocksOf(page).filter(({ language }) => !known.has(language)));
  assert.deepEqual(
    unknown.map(({ page, line, language }) => `${page}:${line} ${language}`),
    [],
  );
});
