import type { Finding } from '../../results/finding.js';
import { escapeText } from './escape.js';

/** What each finding means, under its id. */
const PAGE = 'https://github.com/plimsoll-js/plimsoll/blob/main/docs/reference/findings.md';

/** The anchor that GitHub gives to a heading `bench.faster`. */
const anchorOf = (id: string): string => encodeURIComponent(id.toLowerCase().replace(/[^\w\- ]/g, ''));

const SIGNS: Record<Finding['severity'], string> = { warning: '!', advice: '→', note: '·' };

/** Findings or sentences, each with its id, which leads to its explanation. */
export function findingList(
  findings: readonly (Pick<Finding, 'id' | 'text'> & Partial<Pick<Finding, 'severity'>>)[],
): string {
  if (findings.length === 0) return '';
  const items = findings.map(
    ({ id, text, severity = 'note' }) =>
      `<li class="${severity}"><span class="sign" aria-hidden="true">${SIGNS[severity]}</span><span>${escapeText(text)} <a class="id" href="${PAGE}#${anchorOf(id)}" rel="noreferrer">${escapeText(id)}</a></span></li>`,
  );
  return `<ul class="findings">${items.join('\n')}</ul>`;
}
