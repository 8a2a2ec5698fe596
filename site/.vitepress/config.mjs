import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitepress';

const docs = fileURLToPath(new URL('../../docs/', import.meta.url));
const SOURCE = 'https://github.com/plimsoll-js/plimsoll/blob/main/';

/** The pages of a folder in the order of docs/README.md, which names each of them; those that it does not name are last. */
function pagesOf(folder) {
  const index = readFileSync(join(docs, 'README.md'), 'utf8');
  const place = (name) => {
    const at = index.indexOf(`${folder}/${name}`);
    return at === -1 ? Number.POSITIVE_INFINITY : at;
  };
  return readdirSync(join(docs, folder))
    .filter((name) => name.endsWith('.md'))
    .sort((a, b) => place(a) - place(b) || a.localeCompare(b))
    .map((name) => ({ text: titleOf(join(docs, folder, name)), link: `/${folder}/${linkOf(name)}` }));
}

/** The first heading, without its marks. */
const titleOf = (file) => (/^# (.+)$/m.exec(readFileSync(file, 'utf8'))?.[1] ?? '').replaceAll('`', '');

const linkOf = (name) => (name === 'README.md' ? '' : name.replace(/\.md$/, ''));

/** Files of the repository that are no page of the site are read there. */
function linkToSource(href, page) {
  if (/^[a-z]+:|^#|^\//.test(href)) return href;
  const { pathname, hash } = new URL(href, `file:///docs/${page}`);
  const isPage = pathname.startsWith('/docs/') && /\.md$|\/$/.test(pathname);
  if (!isPage) return SOURCE + pathname.slice(1) + hash;
  return pathname.endsWith('/README.md') ? pathname.slice('/docs'.length, -'README.md'.length) + hash : href;
}

/** A token's links, on their way to HTML. */
function linksToSource(md) {
  md.core.ruler.push('links-to-source', ({ tokens, env }) => {
    for (const { children } of tokens)
      for (const token of children ?? []) {
        const href = token.type === 'link_open' ? token.attrGet('href') : null;
        if (href !== null) token.attrSet('href', linkToSource(href, env.relativePath));
      }
  });
}

const SECTIONS = [
  ['Guide', 'guide'],
  ['Reference', 'reference'],
  ['How it works', 'internals'],
  ['Results', 'results'],
  ['Decisions', 'decisions'],
];

export default defineConfig({
  title: 'plimsoll',
  description:
    'Is libuv’s thread pool the bottleneck of your Node.js app, and which UV_THREADPOOL_SIZE is right?',
  lang: 'en',
  srcDir: '../docs',
  outDir: './dist',
  cacheDir: './cache',
  cleanUrls: true,
  lastUpdated: false,
  rewrites: { 'README.md': 'index.md', 'decisions/README.md': 'decisions/index.md' },
  markdown: { config: linksToSource, theme: { light: 'github-light-high-contrast', dark: 'github-dark' } },
  themeConfig: {
    search: { provider: 'local' },
    outline: [2, 3],
    nav: SECTIONS.slice(0, 4).map(([text, folder]) => ({ text, link: pagesOf(folder)[0].link })),
    sidebar: SECTIONS.map(([text, folder]) => ({
      text,
      collapsed: folder === 'results' || folder === 'decisions',
      items: pagesOf(folder),
    })),
    socialLinks: [{ icon: 'github', link: 'https://github.com/plimsoll-js/plimsoll' }],
  },
});
