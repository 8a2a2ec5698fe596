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
      .map((file) => file.replace(/README\.md$/, 'index.md').replace(/\.md$/, '.html'));
    assert.ok(expected.length > 60);
    assert.deepEqual(pages.toSorted(), expected.toSorted());
  });

  test('its links lead to its own files, or away', () => {
    const dead = pages.flatMap((page) =>
      [...textOf(page).matchAll(/<a [^>]*href="([^"#]+)/g)]
        .map(([, href]) => href ?? '')
        .filter((href) => !/^(https?|mailto):/.test(href))
        .filter((href) => !files.includes(targetOf(href, page)))
        .map((href) => `${page}: ${href}`),
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
