import { createHash } from 'node:crypto';
import { embeddedData } from './embedded-data.js';
import { escapeText } from './escape.js';
import { machines } from './machine.js';
import { PAGE_SCRIPT } from './page-script.js';
import type { Section, Verdict } from './section.js';
import { environmentsOf, type ReportDocument, sectionsOf } from './sections.js';
import { PAGE_STYLES } from './styles.js';
import { STACK_PATTERNS } from './time-stack.js';

const hash = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/** Nothing is loaded, nothing is sent; the one script and the one style sheet are those of this page. */
const policy = (): string =>
  `default-src 'none'; script-src ${hash(PAGE_SCRIPT)}; style-src ${hash(PAGE_STYLES)}; img-src data:; base-uri 'none'; form-action 'none'`;

/**
 * One self-contained page of some documents: verdicts first, then each result. It is complete without its script, loads nothing,
 * prints, and carries the documents, to be saved from it.
 *
 * @param documents in the order in which they are shown.
 * @param title of the page.
 */
export function reportPage(documents: readonly ReportDocument[], title = 'Thread pool report'): string {
  const sections = sectionsOf(documents);
  const data = embeddedData(documents.map(({ document }) => document));
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${policy()}"><meta name="color-scheme" content="light dark"><meta name="referrer" content="no-referrer">
<title>${escapeText(title)}</title><style>${PAGE_STYLES}</style></head>
<body>${STACK_PATTERNS}<header class="top"><p class="brand">plimsoll</p><h1>${escapeText(title)}</h1>${contents(sections)}</header>
<main>${verdictCards(sections)}
${sections.map(drawn).join('\n')}
<section class="result" id="quality" aria-labelledby="quality-h"><h2 id="quality-h">Machines and data</h2>${machines(environmentsOf(documents))}
<p class="how">${dataText(data)}</p>${data === null ? '' : '<p class="tools"><a data-download download="results.json" hidden>Download the data (JSON)</a></p>'}</section></main>
${data === null ? '' : `<script type="application/octet-stream" id="data">${data.text}</script>`}<script>${PAGE_SCRIPT}</script></body></html>
`;
}

function dataText(data: ReturnType<typeof embeddedData>): string {
  if (data === null)
    return 'The data is too large for this page; it is in the files that the page was made from.';
  return data.isShortened
    ? 'The page carries its data without single rounds and jobs, which are in the files that it was made from.'
    : 'The page carries its data.';
}

function contents(sections: readonly Section[]): string {
  if (sections.length < 2) return '';
  const items = sections.map(
    ({ id, title, kind }) =>
      `<li><a href="#${id}">${escapeText(short(title))}</a> <span>${escapeText(kind)}</span></li>`,
  );
  return `<nav aria-label="Results"><ul>${items.join('')}</ul></nav>`;
}

const LONGEST = 60;

const short = (text: string): string =>
  [...text].length <= LONGEST ? text : `${[...text].slice(0, LONGEST - 1).join('')}…`;

const MOST_CARDS = 24;

/** The first that a reader sees: what to set, from what, how sure, the line to copy. */
function verdictCards(sections: readonly Section[]): string {
  const all = sections.flatMap(({ id, kind, verdicts }) =>
    verdicts.map((verdict) => ({ ...verdict, id, kind })),
  );
  if (all.length === 0) return '';
  const left = all.length - MOST_CARDS;
  return `<section class="verdicts" aria-labelledby="verdicts-h"><h2 id="verdicts-h">${all.some(({ size }) => size !== null) ? 'Which UV_THREADPOOL_SIZE' : 'What would help'}</h2><div class="cards">${all
    .slice(0, MOST_CARDS)
    .map((verdict, index) => card(verdict, index))
    .join(
      '\n',
    )}</div>${left > 0 ? `<p class="how">${left} more are told with their results.</p>` : ''}</section>`;
}

function card(
  { work, size, isEstimate, gain, sure, because, id, kind }: Verdict & { id: string; kind: string },
  index: number,
): string {
  const text = `<p class="work"><a href="#${id}">${escapeText(short(work))}</a> <span>${escapeText(kind)}</span></p>`;
  if (size === null)
    return `<article class="card">${text}<p class="because">${escapeText(because)}</p></article>`;
  const told = [isEstimate ? 'estimate' : '', sure].filter((part) => part !== '').join('; ');
  const line = `line-${index + 1}`;
  return `<article class="card${isEstimate ? ' estimate' : ''}">${text}
<p class="size">${isEstimate ? '~' : ''}${size}<span class="gain">${escapeText(gain)}</span></p><p class="because">${escapeText(because)}</p><p class="sure">${escapeText(told)}</p>
<p class="line"><code id="${line}">UV_THREADPOOL_SIZE=${size}</code> <button type="button" data-copy="${line}" hidden>Copy</button></p></article>`;
}

const drawn = ({ id, title, kind, body }: Section): string =>
  `<section class="result" id="${id}" aria-labelledby="${id}-h"><h2 id="${id}-h">${escapeText(short(title))}${kind === '' ? '' : ` <span>${escapeText(kind)}</span>`}</h2>
${body}</section>`;
