import { createHash } from 'node:crypto';
import { CONFIDENCE_TONE, type Report, type Verdict } from '../document.js';
import { type Result, reportOf } from '../documents.js';
import { headLines } from '../machine-line.js';
import { markdown } from '../markdown.js';
import { withoutSecrets } from '../without-secrets.js';
import { drawSection } from './blocks.js';
import { type Html, html, raw } from './escape.js';
import { STYLES } from './styles.js';

const hash = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/** Nothing is loaded, nothing is run, nothing is sent; the one style sheet is that of this page. */
const POLICY = raw(
  `default-src 'none'; style-src ${hash(STYLES)}; img-src data:; base-uri 'none'; form-action 'none'`,
);

/** A document that no command writes, with what makes a report of it. */
export interface Foreign {
  readonly document: Readonly<Record<string, unknown>>;
  report(document: Foreign['document']): Report;
}

/**
 * One self-contained page of some results: verdicts first. It has no script, prints, and has no arguments of commands: it is made
 * to be shared.
 */
export function reportPage(results: readonly (Result | Foreign)[], title = 'Thread pool report'): string {
  const reports = results.map((one) =>
    'report' in one ? one.report(withoutSecrets(one.document)) : reportOf(withoutSecrets(one)),
  );
  const ids = reports.map((_, index) => `r${index + 1}`);
  const contents = reports.map(
    (report, index) => html`<li><a href="#${ids[index] ?? ''}">${nameOf(report)}</a></li>`,
  );
  return html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${POLICY}"><meta name="color-scheme" content="light dark"><meta name="referrer" content="no-referrer">
<title>${title}</title><style>${raw(STYLES)}</style></head>
<body><header class="top"><p class="brand">plimsoll</p><h1>${title}</h1>${contents.length < 2 ? null : html`<nav aria-label="Results"><ul>${contents}</ul></nav>`}</header>
<main>${verdictCards(reports, ids)}
${reports.map((report, index) => drawReport(report, ids[index] as string))}</main></body></html>
`.text;
}

const LONGEST = 60;

const short = (text: string): string =>
  [...text].length <= LONGEST ? text : `${[...text].slice(0, LONGEST - 1).join('')}…`;

const nameOf = ({ command, subject = '' }: Report): Html =>
  subject === '' ? html`${command}` : html`${short(subject)} <span>${command}</span>`;

function drawReport(report: Report, id: string): Html {
  const { warning = null, sections } = report;
  return html`<article class="result" id="${id}"><h2>${nameOf(report)}</h2>
${headLines(report).map((line) => html`<p class="note soft">${line}</p>`)}${warning === null ? null : html`<p class="note unsure">${warning}</p>`}
${sections.flatMap((section, index) => drawSection(section, `${id}-${index + 1}`) ?? [])}
<details class="tools"><summary>As Markdown</summary><pre>${preformatted(markdown(report))}</pre></details></article>`;
}

/** Line by line, as a line break is a control character like any other. */
const preformatted = (text: string): Html[] => text.split('\n').map((line) => html`${line}`);

function verdictCards(reports: readonly Report[], ids: readonly string[]): Html | null {
  const all = reports.flatMap(({ verdicts = [] }) => verdicts);
  const cards = reports.flatMap(({ command, verdicts = [] }, at) =>
    verdicts.map((verdict) => card(verdict, command, ids[at] as string)),
  );
  if (cards.length === 0) return null;
  const title = all.some(({ sign }) => sign !== '') ? 'Which UV_THREADPOOL_SIZE' : 'What would help';
  return html`<section class="verdicts" aria-labelledby="verdicts-h"><h2 id="verdicts-h">${title}</h2><div class="cards">${cards}</div></section>`;
}

function card(verdict: Verdict, command: string, id: string): Html {
  const { work, size, sign, confidence, gain, sure, because } = verdict;
  const text = html`<p class="work"><a href="#${id}">${short(work)}</a> <span>${command}</span></p>`;
  if (sign === '') return html`<article class="card">${text}<p class="because">${because}</p></article>`;
  const line = html`<p class="line"><code>UV_THREADPOOL_SIZE=${size ?? ''}</code></p>`;
  return html`<article class="card ${CONFIDENCE_TONE[confidence]}-card">${text}
<p class="size"><span>${sign}</span><span class="${CONFIDENCE_TONE[confidence]}">${confidence}</span></p>
<p class="gain">${gain}</p><p class="because">${because}</p><p class="sure">${sure}</p>${size === null ? null : line}</article>`;
}
