// `npm run pictures [-- NAME…]`: takes docs/pictures, wide and narrow, light and dark: the report of docs/pictures/five-minutes.json,
// the trace of examples/waiting, README as GitHub shows it, the home page of the site; by name only, the monitor's dashboard, which
// takes minutes and needs a Prometheus. Needs Chromium.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';
import { findChromium, VARIABLE } from './chromium.mjs';
import { dashboardPage } from './pictures/dashboard.mjs';
import { readmePage } from './pictures/readme.mjs';
import { root, run } from './run.mjs';
import { setup } from './setup.mjs';

/** From the command of docs/guide/five-minutes.md, with `--json`. */
const RESULT = 'docs/pictures/five-minutes.json';
const PLIMSOLL = join(root, 'packages/plimsoll/bin/plimsoll.js');
const SCREENS = [
  { suffix: '', width: 1440, height: 1060 },
  { suffix: '-narrow', width: 390, height: 844 },
];
/** @type {('light' | 'dark')[]} */
const SCHEMES = ['light', 'dark'];
const NAMES = ['report', 'waiting', 'readme', 'home'];
const names = process.argv.length > 2 ? process.argv.slice(2) : NAMES;

const executablePath = findChromium();
if (executablePath === null) {
  console.error(`no Chromium on PATH or in ${VARIABLE}`);
  process.exit(2);
}
setup();
const folder = mkdtempSync(join(tmpdir(), 'plimsoll-pictures-'));
const server = createServer((request, response) => {
  const { pathname } = new URL(request.url ?? '/', 'http://site');
  const file = join(root, 'site/dist', pathname.endsWith('/') ? `${pathname}index.html` : pathname);
  const types = { '.html': 'text/html', '.css': 'text/css', '.js': 'text/javascript', '.png': 'image/png' };
  try {
    const type = types[/** @type {keyof typeof types} */ (extname(file))] ?? 'application/octet-stream';
    response.setHeader('content-type', type).end(readFileSync(file));
  } catch {
    response.writeHead(404).end();
  }
}).listen(0, '127.0.0.1');
try {
  const report = join(folder, 'report.html');
  if (names.includes('report')) {
    run(process.execPath, [PLIMSOLL, 'report', RESULT, '--out', report]);
    await take({ report: pathToFileURL(report).href });
    // README and the home page show this part of it.
    await take({ curves: pathToFileURL(report).href }, 'section:has(> .curves)');
  }
  if (names.includes('waiting')) {
    const waiting = join(folder, 'waiting.html');
    const command = ['trace', '--quiet', '--flame', waiting, '--', process.execPath, 'server.mjs', '6'];
    run(process.execPath, [PLIMSOLL, ...command], { cwd: join(root, 'examples/waiting') });
    // README and the reference show the graph and the table of it.
    await take(
      { waiting: pathToFileURL(waiting).href },
      '.result section',
      ':is(.scroll ~ .scroll, .findings)',
      960,
    );
  }
  if (names.includes('dashboard')) await take({ dashboard: pathToFileURL(await dashboardPage(folder)).href });
  if (names.includes('readme') || names.includes('home')) {
    run(process.execPath, ['scripts/docs.mjs']);
    const readme = join(folder, 'readme.html');
    writeFileSync(readme, await readmePage());
    const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
    await take({ readme: pathToFileURL(readme).href, home: `http://127.0.0.1:${port}/` });
  }
} finally {
  server.close();
  rmSync(folder, { recursive: true, force: true });
}

/**
 * @param {Record<string, string>} pages
 * @param {string} [part] of the page, shown wide; by default what a window shows, wide and narrow
 * @param {string} [without] what is left out of the part
 * @param {number} [width] of the window for a part
 */
async function take(pages, part, without = 'template', width = 1440) {
  const pictures = join(root, 'docs/pictures');
  mkdirSync(pictures, { recursive: true });
  const browser = await chromium.launch({
    executablePath: /** @type {string} */ (executablePath),
    chromiumSandbox: process.getuid?.() !== 0,
  });
  const isWhole = part === undefined;
  try {
    for (const [name, url] of Object.entries(pages))
      for (const { suffix, ...viewport } of isWhole ? SCREENS : [{ suffix: '', width, height: 1060 }])
        for (const colorScheme of SCHEMES) {
          const page = await browser.newPage({ viewport, colorScheme, bypassCSP: true });
          await page.goto(url, { waitUntil: 'networkidle' });
          const file = `${name}${suffix}${colorScheme === 'dark' ? '-dark' : ''}.png`;
          const path = join(pictures, file);
          const styles = `${part}{padding:16px}${part}>h3{margin-top:0}${part} ${without}{display:none}`;
          if (!isWhole) await page.addStyleTag({ content: styles });
          const shown = isWhole ? page : page.locator(part).first();
          await shown.screenshot({ path, animations: 'disabled' });
          await page.close();
          console.log(`docs/pictures/${file}, ${Math.ceil(statSync(path).size / 1024)} KB`);
        }
  } finally {
    await browser.close();
  }
}
