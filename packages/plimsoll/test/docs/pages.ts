import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The repository. */
export const root = fileURLToPath(new URL('../../../../', import.meta.url));

/** A fenced block of a page. */
export interface Block {
  /** The page, from the repository's root, with `/`. */
  readonly page: string;
  /** Of the opening fence, from 1. */
  readonly line: number;
  /** `js`, `sh` …; empty when the fence names none. */
  readonly language: string;
  readonly text: string;
  /** What comments `<!-- docs-test: … -->` right before the block say. */
  readonly directive: string;
}

const IGNORED = new Set(['node_modules', 'dist', 'test-dist', 'fixtures']);

/** Every Markdown page of the repository, from its root, with `/`. */
export function allPages(folder = ''): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}${entry.name}`;
    if (entry.isDirectory())
      return entry.name.startsWith('.') || IGNORED.has(entry.name) ? [] : allPages(`${path}/`);
    return entry.name.endsWith('.md') ? [path] : [];
  });
}

export const readPage = (page: string): string =>
  readFileSync(join(root, page), 'utf8').replaceAll('\r\n', '\n');

const FENCE = /^( *)```(\w*)\s*$/;

/** The fenced blocks of a page; one that is not closed is an error. */
export function blocksOf(page: string, text = readPage(page)): Block[] {
  const lines = text.split('\n');
  const blocks: Block[] = [];
  for (let at = 0; at < lines.length; at++) {
    const [, indent, language] = FENCE.exec(lines[at] ?? '') ?? [];
    if (indent === undefined || language === undefined) continue;
    const end = lines.findIndex((line, index) => index > at && line.trimEnd() === `${indent}\`\`\``);
    if (end === -1) throw new Error(`${page}:${at + 1} opens a block that nothing closes`);
    const body = lines.slice(at + 1, end).map((line) => line.slice(indent.length));
    blocks.push({
      page,
      line: at + 1,
      language,
      text: body.join('\n'),
      directive: directiveAbove(lines, at),
    });
    at = end;
  }
  return blocks;
}

/** A comment right before the fence, of one line or several. */
function directiveAbove(lines: readonly string[], fence: number): string {
  const start = lines.slice(0, fence).findLastIndex((line) => line.startsWith('<!-- docs-test:'));
  if (start === -1) return '';
  const comment = lines.slice(start, fence).join('\n').trimEnd();
  const [, said] = /^<!-- docs-test:([\s\S]*?)-->$/.exec(comment) ?? [];
  return said?.trim() ?? '';
}

/** A page without its fenced blocks and comments; line breaks stay. */
export const proseOf = (text: string): string =>
  text
    .replace(/^( *)```[\s\S]*?^\1```\s*?$/gm, (block) => block.replace(/[^\n]/g, ''))
    .replace(/<!--[\s\S]*?-->/g, (comment) => comment.replace(/[^\n]/g, ''));

/** The anchors that GitHub gives the headings of a page. */
export function anchorsOf(text: string): Set<string> {
  const anchors = new Set<string>();
  for (const [, heading = ''] of proseOf(text).matchAll(/^#{1,6} +(.*?)\s*$/gm)) {
    const plain = heading.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase();
    const slug = plain.replace(/[^\p{L}\p{N}\p{M}_\- ]/gu, '').replaceAll(' ', '-');
    let anchor = slug;
    for (let count = 1; anchors.has(anchor); count++) anchor = `${slug}-${count}`;
    anchors.add(anchor);
  }
  return anchors;
}
