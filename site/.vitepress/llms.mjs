// llms.txt, a list of the pages, and llms-full.txt, their text, for language models: https://llmstxt.org.
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { docs, linkOf, pagesOf, readPage, SECTIONS, summaryOf } from './pages.mjs';

/** Results and decisions are evidence, read when a page leads there: they are listed, and not in the full text. */
const FULL = new Set(['guide', 'reference', 'internals']);

/** @param {{ outDir: string, site: { title: string, description: string } }} config */
export function writeTexts({ outDir, site: { title, description } }) {
  const head = `# ${title}\n\n> ${description}\n`;
  const list = SECTIONS.map(([heading, folder]) => {
    const lines = pagesOf(folder).map(({ page, text }) => {
      const summary = summaryOf(readPage(page));
      return `- [${text}](${sourceOf(page)})${summary === '' ? '' : `: ${summary}`}`;
    });
    return `\n## ${heading}\n\n${lines.join('\n')}\n`;
  });
  writeFileSync(join(outDir, 'llms.txt'), head + list.join(''));
  const pages = SECTIONS.flatMap(([, folder]) => pagesOf(folder));
  for (const { page } of pages) {
    const target = join(outDir, sourceOf(page).slice(1));
    mkdirSync(dirname(target), { recursive: true });
    copyFileSync(join(docs, page), target);
  }
  const full = pages.filter(({ page }) => FULL.has(page.split('/')[0])).map(({ page }) => readPage(page));
  writeFileSync(join(outDir, 'llms-full.txt'), `${head}\n${full.join('\n')}`);
}

/** The page as it was written, beside its HTML. */
const sourceOf = (page) => `${linkOf(page).replace(/\/$/, '/index')}.md`;
