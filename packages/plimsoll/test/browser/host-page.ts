import { createHash } from 'node:crypto';
import { PAGE_SCRIPT } from '#plimsoll/report/html/page.js';

const hash = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/** The smallest page that carries the script of a report, with its policy. */
export const hostPage = (html: string): string => `<!doctype html><html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src ${hash(PAGE_SCRIPT)}"><title>Tables</title></head>
<body><main><h1>Tables</h1>${html}</main><script>${PAGE_SCRIPT}</script></body></html>`;
