import { printable } from '../host/printable.js';
import { type Block, column, type Report, type Section, type Table, textOf } from './document.js';
import { headLines } from './machine-line.js';
import { plainStyle } from './style.js';
import { markdownTable } from './table.js';
import { sectionsText } from './terminal.js';

export const markdown = (report: Report): string =>
  `${[
    `## ${escaped(`${report.command} ${report.subject ?? ''}`.trim())}`,
    headLines(report)
      .map((line) => `- ${escaped(line)}`)
      .join('\n'),
    report.warning == null ? '' : `**${escaped(report.warning)}**`,
    ...report.sections.map(sectionMarkdown),
  ]
    .filter((text) => text !== '')
    .join('\n\n')}\n`;

export const sectionMarkdown = ({ title, aside, blocks }: Section): string =>
  [
    title === undefined ? '' : `### ${escaped(textOf(title))}`,
    escaped(aside ?? ''),
    ...blocks.map(blockMarkdown),
  ]
    .filter((text) => text !== '')
    .join('\n\n');

/** Texts of others begin no tag, no code and no link; `markdownTable` sees to cells. Figures in brackets stay as they are. */
const escaped = (text: string): string =>
  printable(text)
    .replace(/[\\<>`*_]/g, '\\$&')
    .replaceAll('](', ']\\(');

function blockMarkdown(block: Block): string {
  switch (block.kind) {
    case 'headline':
      return `**${escaped(block.text)}**`;
    case 'note':
      return escaped(block.text);
    case 'findings':
      return block.findings
        .map(({ text, id }) => `- ${escaped(text)}${id === undefined ? '' : ` (\`${id}\`)`}`)
        .join('\n');
    case 'names':
      return block.groups
        .map(({ label, names }) => `- ${escaped(label)}: ${names.map(escaped).join(', ')}`)
        .join('\n');
    case 'verdicts':
      return tableMarkdown({
        columns: [column('work', 'left'), column('size'), column('because', 'left')],
        rows: block.verdicts.map(({ work, sign, because }) => [work, sign, because]),
      });
    case 'table':
      return tableMarkdown(block);
    case 'bars':
      return `\`\`\`text\n${sectionsText([{ blocks: [block] }], plainStyle(100))}\n\`\`\``;
    case 'flame':
    case 'curve':
      return '';
  }
}

const tableMarkdown = ({ columns, rows }: Pick<Table, 'columns' | 'rows'>): string =>
  markdownTable(
    columns.map((one) => ({ ...one, title: escaped(one.title) })),
    rows.map((cells) => cells.map((cell) => escaped(textOf(cell)))),
  ).join('\n');
