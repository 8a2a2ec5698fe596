import type { Finding } from '../results/finding.js';
import type { Style } from './style.js';
import { wrap } from './table.js';

const MARK: Record<Finding['severity'], string> = { warning: '!', advice: '→', note: '·' };

/** Findings for a terminal, each with its id; nothing when there are none. */
export function findingLines(title: string, findings: readonly Finding[], { color, width }: Style): string[] {
  if (findings.length === 0) return [];
  const paintMark = { warning: color.yellow, advice: color.green, note: color.dim };
  const lines = findings.flatMap(({ severity, text, id }) => {
    const [first = '', ...rest] = wrap(`${text} (${id})`, width - 4);
    return [`  ${paintMark[severity](MARK[severity])} ${first}`, ...rest.map((line) => `    ${line}`)];
  });
  return [color.bold(title), ...lines];
}
