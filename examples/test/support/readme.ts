/** A command of a README and what it prints, as written there. */
export interface Step {
  readonly command: string;
  readonly output: readonly string[];
}

/** The steps of the first console block: lines that begin with `$ ` are commands. */
export function stepsOf(readme: string): Step[] {
  const block = /```console\n(.*?)\n```/s.exec(readme)?.[1] ?? '';
  return block
    .split(/^\$ /m)
    .slice(1)
    .map((text) => {
      const [command = '', ...output] = text.trimEnd().split('\n');
      return { command, output };
    });
}

const ESCAPED = /[.*+?^${}()|[\]\\/]/g;
const FIGURE = /[−+~]?\d[\d.,]*/g;
const UNIT = /\b(?:µs|ms|s)\b/g;
const FIGURE_PATTERN = '(?:[−+~]?\\d[\\d.,]*|–)';

/**
 * What the output of a command that measures must match: a line or its beginning that says `…` stands for any text, a
 * figure for any other one, and spaces, which align columns, for any number of spaces.
 */
export const measuredPattern = (output: readonly string[]): RegExp =>
  new RegExp(`^${output.map(linePattern).join('')}$`, 'u');

function linePattern(line: string): string {
  if (line === '…') return '(?:.*\\n)*?';
  return `${line
    .trim()
    .replace(ESCAPED, '\\$&')
    .replace(UNIT, '\u0001')
    .replace(FIGURE, FIGURE_PATTERN)
    .replaceAll('\u0001', '(?:µs|ms|s)')
    .replaceAll('…', '.*')
    .replace(/\s+/g, ' +')
    .replace(/^/, ' *')}\\n`;
}
