import { defineConfig } from 'vitepress';
import { writeTexts } from './llms.mjs';
import { linkOf, pagesOf, REWRITES, SECTIONS, sentence } from './pages.mjs';

const SOURCE = 'https://github.com/plimsoll-js/plimsoll/blob/main/';

/** Files of the repository that are no page of the site are read there. */
function linkToSource(href, page) {
  if (/^[a-z]+:|^#|^\//.test(href)) return href;
  const { pathname, hash } = new URL(href, `file:///docs/${page}`);
  const isPage = pathname.startsWith('/docs/') && /\.md$|\/$/.test(pathname);
  if (!isPage) return SOURCE + pathname.slice(1) + hash;
  return pathname.endsWith('/README.md') ? linkOf(pathname.slice('/docs/'.length)) + hash : href;
}

/** A token's links, on their way to HTML; headings in sentence case. */
function adapt(md) {
  md.core.ruler.push('adapt', ({ tokens, env }) => {
    for (const [at, { children }] of tokens.entries()) {
      for (const token of children ?? []) {
        const href = token.type === 'link_open' ? token.attrGet('href') : null;
        if (href !== null) token.attrSet('href', linkToSource(href, env.relativePath));
      }
      const [first] = children ?? [];
      if (tokens[at - 1]?.tag === 'h1' && first?.type === 'text') first.content = sentence(first.content);
    }
  });
}

/** The bundle that renders the pages is thrown away: to look for what it does not need takes longer than it gains. */
const wholeServerBundle = {
  name: 'whole-server-bundle',
  config: (_config, { isSsrBuild }) =>
    isSsrBuild ? { build: { rollupOptions: { treeshake: false } } } : undefined,
};

export default defineConfig({
  title: 'plimsoll',
  description:
    'Finds the right UV_THREADPOOL_SIZE for a Node.js app by measuring the app while it runs, and shows what waits for libuv’s thread pool.',
  lang: 'en',
  srcDir: '../docs',
  outDir: './dist',
  cacheDir: './cache',
  cleanUrls: true,
  lastUpdated: false,
  rewrites: REWRITES,
  transformPageData: ({ title }) => ({ title: sentence(title) }),
  buildEnd: writeTexts,
  vite: { plugins: [wholeServerBundle] },
  markdown: { config: adapt, theme: { light: 'github-light-high-contrast', dark: 'github-dark' } },
  themeConfig: {
    search: { provider: 'local' },
    outline: [2, 3],
    nav: SECTIONS.map(([text, folder]) => ({
      text,
      link: folder === 'decisions' ? '/decisions/' : pagesOf(folder)[0].link,
    })),
    sidebar: SECTIONS.map(([text, folder]) => ({
      text,
      collapsed: folder === 'results' || folder === 'decisions',
      items: pagesOf(folder).map(({ text, link }) => ({ text, link })),
    })),
    socialLinks: [{ icon: 'github', link: 'https://github.com/plimsoll-js/plimsoll' }],
  },
});
