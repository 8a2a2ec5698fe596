// `npm run pictures`: a report of docs/results, README as GitHub shows it, and the home page of the site, into docs/pictures:
// wide and narrow, light and dark. Needs Chromium.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';
import { findChromium, VARIABLE } from './chromium.mjs';
import { readmePage } from './pictures/readme.mjs';
import { root, run } from './run.mjs';
import { setup } from './setup.mjs';

const RESULTS = ['docs/results/bench.json'];
const SCREENS = [
  { suffix: '', width: 1440, height: 1060 },
  { suffix: '-narrow', width: 390, height: 844 },
];
/** @type {('light' | 'dark')[]} */
const SCHEMES = ['light', 'dark'];

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
  run(process.execPath, ['packages/plimsoll/bin/plimsoll.js', 'report', ...RESULTS, '--out', report]);
  // The other two show the report.
  await take({ report: pathToFileURL(report).href });
  run(process.execPath, ['scripts/docs.mjs']);
  const readme = join(folder, 'readme.html');
  writeFileSync(readme, await readmePage());
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  await take({ readme: pathToFileURL(readme).href, home: `http://127.0.0.1:${port}/` });
} finally {
  server.close();
  rmSync(folder, { recursive: true, force: true });
}

/** @param {Record<string, string>} pages */
async function take(pages) {
  const pictures = join(root, 'docs/pictures');
  mkdirSync(pictures, { recursive: true });
  const browser = await chromium.launch({
    executablePath: /** @type {string} */ (executablePath),
    chromiumSandbox: process.getuid?.() !== 0,
  });
  try {
    for (const [name, url] of Object.entries(pages))
      for (const { suffix, ...viewport } of SCREENS)
        for (const colorScheme of SCHEMES) {
          const page = await browser.newPage({ viewport, colorScheme });
          await page.goto(url, { waitUntil: 'networkidle' });
          const file = `${name}${suffix}${colorScheme === 'dark' ? '-dark' : ''}.png`;
          const path = join(pictures, file);
          await page.screenshot({ path, animations: 'disabled' });
          await page.close();
          console.log(`docs/pictures/${file}, ${Math.ceil(statSync(path).size / 1024)} KB`);
        }
  } finally {
    await browser.close();
  }
}
