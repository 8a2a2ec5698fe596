import { printable } from '../host/printable.js';
import { bar, GLYPHS, timeAxis } from './bars.js';
import type { Bars, Block, Cell, Part, Report, Section, Table, Tone, Verdict } from './document.js';
import { MARKS, PARTS, textOf, toneOf } from './document.js';
import { headLines } from './machine-line.js';
import type { Style } from './style.js';
import { flow, renderTable, wrap } from './table.js';

export const terminal = (report: Report, style: Style): string =>
  [header(report, style).join('\n'), sectionsText(report.sections, style)]
    .filter((text) => text !== '')
    .join('\n\n');

export function sectionsText(sections: readonly Section[], style: Style): string {
  const used = new Set<Part>();
  return [...sections.map((section) => sectionLines(section, style, used)), legend(used, style)]
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n');
}

const COLOURS = {
  good: 'green',
  bad: 'red',
  unsure: 'yellow',
  pool: 'cyan',
  soft: 'dim',
  strong: 'bold',
} as const satisfies Record<Tone, keyof Style['color']>;

/** No text may control the terminal, whatever its source. */
function paint(cell: Cell, { color }: Style): string {
  const [text, tone] = [printable(textOf(cell)), toneOf(cell)];
  return tone === undefined || text === '' ? text : color[COLOURS[tone]](text);
}

const paragraph = (text: string, { width }: Style, indent: string, hanging = ''): string[] =>
  wrap(printable(text), width - indent.length, hanging).map((line) => indent + line);

function header(report: Report, style: Style): string[] {
  const { command, subject = '', warning = null } = report;
  const { color } = style;
  return [
    ...paragraph(`${command} ${subject}`.trim(), style, '', '  ').map(color.bold),
    ...headLines(report)
      .flatMap((line) => paragraph(line, style, ''))
      .map(color.dim),
    ...(warning === null ? [] : paragraph(warning, style, '').map(color.yellow)),
  ];
}

function sectionLines({ title, aside, blocks }: Section, style: Style, used: Set<Part>): string[] {
  const indent = title === undefined ? '' : '  ';
  const body = blocks.flatMap((block) => blockLines(block, style, indent, used));
  return title === undefined ? body : [...heading(title, aside ?? '', style), ...body];
}

function heading(title: Cell, aside: string, style: Style): string[] {
  const { color } = style;
  const name = printable(textOf(title));
  const [first = '', ...rest] = paragraph(aside === '' ? name : `${name}  ${aside}`, style, '', '  ');
  if (first.length < name.length) return [first, ...rest].map(color.bold);
  const bold = color.bold(paint({ text: name, tone: toneOf(title) ?? 'strong' }, style));
  return [bold + color.dim(first.slice(name.length)), ...rest.map((line) => color.dim(line))];
}

function blockLines(block: Block, style: Style, indent: string, used: Set<Part>): string[] {
  const { color } = style;
  switch (block.kind) {
    case 'headline':
      return paragraph(block.text, style, '').map((line) => color.bold(color[COLOURS[block.tone]](line)));
    case 'note': {
      const lines = paragraph(block.text, style, indent);
      return block.tone === undefined ? lines : lines.map(color[COLOURS[block.tone]]);
    }
    case 'findings':
      return block.findings.flatMap(({ severity, text, id }) => {
        const mark = { warning: color.yellow, advice: color.green, note: color.dim }[severity](
          MARKS[severity],
        );
        return marked(`  ${mark} `, 4, id === undefined ? text : `${text} (${id})`, style);
      });
    case 'names':
      return block.groups.flatMap(({ label, names }) => nameLines(label, names, style));
    case 'verdicts':
      return verdictLines(block.verdicts, style);
    case 'table':
      return tableLines(block, style);
    case 'bars':
      return barLines(block, style, used);
    case 'flame':
    case 'curve':
      return [];
  }
}

/** A text behind something that is `used` characters wide, its further lines under the first. */
function marked(before: string, used: number, text: string, { width }: Style): string[] {
  const [first = '', ...rest] = wrap(printable(text), width - used);
  return [before + first, ...rest.map((line) => ' '.repeat(used) + line)];
}

const LABEL = 15;

const nameLines = (label: string, names: readonly string[], { width, color }: Style): string[] =>
  flow(names.map(printable), width - LABEL - 2).map((line, index) =>
    index === 0 ? `  ${color.dim(printable(label).padEnd(LABEL))}${line}` : ' '.repeat(LABEL + 2) + line,
  );

function verdictLines(verdicts: readonly Verdict[], style: Style): string[] {
  const names = verdicts.map(({ work }) => printable(work));
  const longest = Math.max(...names.map(({ length }) => length));
  return verdicts.flatMap(({ sign, because }, index) => {
    const before = `  ${(names[index] as string).padEnd(longest)}  ${style.color.bold(sign.padStart(4))}  `;
    return marked(before, longest + 10, because, style);
  });
}

function tableLines({ columns, rows, chosen }: Table, style: Style): string[] {
  const { width, color } = style;
  const [head = '', ...body] = renderTable(
    columns.map((one) => ({ ...one, title: printable(one.title) })),
    rows.map((cells) => cells.map((cell) => paint(cell, style))),
    width - 2,
  );
  return [`  ${color.dim(head)}`, ...body.map((line, index) => `${index === chosen ? '→' : ' '} ${line}`)];
}

/** `100 `, the number of a request, in front of its bar. */
const BAR_LABEL = 5;
const BAR_NOTE = 27;

function barLines({ rows, toMs }: Bars, { width, color }: Style, used: Set<Part>): string[] {
  const cells = Math.max(10, width - BAR_LABEL - BAR_NOTE);
  return [
    ...rows.map(({ label, stretches, time, note }) => {
      const parts = bar(stretches, toMs, cells);
      for (const part of parts) if (part !== null) used.add(part);
      const about = `${time.padStart(8)}  ${color.dim(printable(note).slice(0, BAR_NOTE - 10))}`;
      return `${label.padStart(BAR_LABEL - 2)}  ${draw(parts, color)} ${about}`;
    }),
    color.dim(' '.repeat(BAR_LABEL) + timeAxis(toMs, cells)),
  ];
}

const draw = (parts: readonly (Part | null)[], color: Style['color']): string =>
  parts.map((part) => (part === null ? ' ' : color[GLYPHS[part].color](GLYPHS[part].sign))).join('');

function legend(used: ReadonlySet<Part>, { width, color }: Style): string[] {
  if (used.size === 0) return [];
  const items = (Object.keys(PARTS) as Part[])
    .filter((part) => used.has(part))
    .map((part) => `${GLYPHS[part].sign} ${PARTS[part]}`);
  return flow([...items, ...(used.has('pool') ? ['CPU in ms'] : [])], width).map(color.dim);
}
