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

const FIGURE = '(?:[−+~]?\\d[\\d.,]*|–)';
const TOKENS = /[−+~]?\d[\d.,]*|\b(?:µs|ms|s)\b|…|\s+|[.*+?^${}()|[\]\\/]/g;

/**
 * What the output of a command that measures must match. A line `…` stands for any lines, a `…` within a line for any text, a
 * figure or a unit of time for any other one, and spaces, which align columns, for any number of spaces. Of lines that differ in their
 * figures alone there may be any other number.
 */
export const measuredPattern = (output: readonly string[]): RegExp => {
  const lines = output.map((line) => (line === '…' ? '(?:.*\\n)*?' : `(?:${linePattern(line)})+`));
  return new RegExp(`^${lines.filter((line, index) => line !== lines[index - 1]).join('')}$`, 'u');
};

const linePattern = (line: string): string => ` *${line.trim().replaceAll(TOKENS, tokenPattern)}\\n`;

function tokenPattern(token: string): string {
  if (/\d/.test(token)) return FIGURE;
  if (/^(?:µs|ms|s)$/.test(token)) return '(?:µs|ms|s)';
  if (token === '…') return '.*';
  return token.trim() === '' ? ' +' : `\\${token}`;
}
