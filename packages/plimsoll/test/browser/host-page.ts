import { createHash } from 'node:crypto';
import { JOB_STYLES, jobTimelines } from '#plimsoll/report/html/jobs/index.js';
import { PAGE_SCRIPT } from '#plimsoll/report/html/page-script.js';

const STYLES = `body{font-family:sans-serif;margin:1rem;color:#111;background:#fff}
@media(prefers-color-scheme:dark){body{color:#eee;background:#14181d}}.scroll{overflow-x:auto}
button{font:inherit}a{color:inherit}${JOB_STYLES}`;

const hash = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/** The smallest page that carries the timelines of some documents, the script, and a table: with the report's policy. */
export function hostPage(documents: readonly object[], more = ''): string {
  const policy = `default-src 'none'; script-src ${hash(PAGE_SCRIPT)}; style-src ${hash(STYLES)}; base-uri 'none'; form-action 'none'`;
  const timelines = jobTimelines(documents)
    .map(({ title, html }) => `<h3>${title.replaceAll('&', '&amp;').replaceAll('<', '&lt;')}</h3>${html}`)
    .join('\n');
  const data = JSON.stringify(documents).replaceAll('<', '\\u003c');
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="${policy}"><title>Timelines</title><style>${STYLES}</style></head>
<body><main><h1>Timelines</h1><h2>Jobs</h2>${timelines}${more}
<p><a data-download download="results.json" hidden>Download the data</a></p></main>
<script type="application/json" id="data">${data}</script><script>${PAGE_SCRIPT}</script></body></html>`;
}
