import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../../../', import.meta.url));
const dist = join(root, 'site/dist');

const { status, stderr } = spawnSync(process.execPath, ['scripts/docs.mjs'], { cwd: root, encoding: 'utf8' });
const isThere = existsSync(join(root, 'site/node_modules/vitepress'));
const skip = status !== 0 && !isThere && 'the packages of the site cannot be installed';

const filesIn = (folder: string): string[] =>
  existsSync(folder)
    ? readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((file) => file.replaceAll('\\', '/'))
    : [];

/** Where a link of a page leads: a file of the site. */
function targetOf(href: string, page: string): string {
  const path = decodeURI(new URL(href, `http://site/${page}`).pathname.slice(1));
  if (path === '' || path.endsWith('/')) return `${path}index.html`;
  return /\.[a-z0-9]+$/.test(path) ? path : `${path}.html`;
}

describe('the site of docs/', { skip }, () => {
  const files = skip === false ? filesIn(dist) : [];
  const pages = files.filter((file) => file.endsWith('.html') && file !== '404.html');
  const textOf = (file: string): string => readFileSync(join(dist, file), 'utf8');

  test('is built: a dead link fails it', () => {
    assert.equal(status, 0, stderr);
  });

  test('has every page', () => {
    const expected = filesIn(join(root, 'docs'))
      .filter((file) => file.endsWith('.md'))
      .map((file) => (file === 'README.md' ? 'contents.md' : file.replace(/README\.md$/, 'index.md')))
      .map((file) => file.replace(/\.md$/, '.html'));
    assert.ok(expected.length > 60);
    assert.deepEqual(pages.toSorted(), expected.toSorted());
  });

  /** The pages that links of a page lead to. */
  const linksFrom = (page: string): string[] =>
    [...textOf(page).matchAll(/<a [^>]*href="([^"#]+)/g)]
      .map(([, href]) => href ?? '')
      .filter((href) => !/^(https?|mailto):/.test(href))
      .map((href) => targetOf(href, page));

  test('every page is two clicks from the home page at most, and has a title in sentence case', () => {
    const near = new Set(['index.html', ...linksFrom('index.html')]);
    const reached = new Set([...near, ...[...near].flatMap(linksFrom)]);
    assert.deepEqual(
      pages.filter((page) => !reached.has(page)),
      [],
    );
    for (const page of pages) {
      assert.match(textOf(page), /<title>[^a-z]/, page);
      assert.doesNotMatch(textOf(page), /<h1[^>]*>[a-z]/, page);
    }
  });

  test('the home page says what it is, how to run it, and what it shows; llms.txt leads to every page', () => {
    const home = textOf('index.html');
    assert.match(home, /npx/);
    for (const [, picture = ''] of home.matchAll(/(?:src|srcset)="(\/assets\/curves[^"]*\.png)"/g))
      assert.ok(files.includes(picture.slice(1)), picture);
    assert.match(home, /<img src="\/assets\/curves/);
    const links = [...textOf('llms.txt').matchAll(/^- \[.*?\]\(\/(.*?)\)/gm)].map(([, path]) => path ?? '');
    assert.deepEqual(
      links.toSorted(),
      pages
        .filter((page) => page.includes('/'))
        .map((page) => page.replace(/\.html$/, '.md'))
        .toSorted(),
    );
    for (const link of links) assert.ok(files.includes(link), link);
    assert.match(textOf('llms-full.txt'), /^# plimsoll\n[\s\S]*^# Pool$/m);
  });

  test('its links lead to its own files, or away', () => {
    const dead = pages.flatMap((page) =>
      linksFrom(page)
        .filter((target) => !files.includes(target))
        .map((target) => `${page}: ${target}`),
    );
    assert.deepEqual(dead, []);
  });

  test('loads nothing from elsewhere, and can be searched', () => {
    const loads = pages.flatMap((page) => [
      ...textOf(page).matchAll(/<(?:script|link|img|iframe)[^>]* (?:src|href)="((?:https?:)?\/\/[^"]*)"/g),
    ]);
    assert.deepEqual(
      loads.map(([, url]) => url),
      [],
    );
    const styles = files.filter((file) => file.endsWith('.css')).map(textOf);
    for (const style of styles) assert.doesNotMatch(style, /url\(["']?(?:https?:)?\/\//);
    assert.ok(files.some((file) => /localSearchIndex/.test(file)));
  });
});
