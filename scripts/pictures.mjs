// `npm run pictures`: a report of docs/results, as people see its first screen, into docs/pictures. Needs Chromium.
import { mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';
import { findChromium, VARIABLE } from './chromium.mjs';
import { root, run } from './run.mjs';
import { setup } from './setup.mjs';

const RESULTS = ['docs/results/bench.json'];

/** @type {{ name: string, width: number, height: number, colorScheme: 'light' | 'dark' }[]} */
const PICTURES = [{ name: 'report', width: 1440, height: 1060, colorScheme: 'light' }];

const executablePath = findChromium();
if (executablePath === null) {
  console.error(`no Chromium on PATH or in ${VARIABLE}`);
  process.exit(2);
}
setup();
const folder = mkdtempSync(join(tmpdir(), 'plimsoll-pictures-'));
try {
  const report = join(folder, 'report.html');
  run(process.execPath, ['packages/plimsoll/bin/plimsoll.js', 'report', ...RESULTS, '--out', report]);
  await take(executablePath, report);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** @param {string} executablePath @param {string} report */
async function take(executablePath, report) {
  const pictures = join(root, 'docs/pictures');
  mkdirSync(pictures, { recursive: true });
  const browser = await chromium.launch({ executablePath, chromiumSandbox: process.getuid?.() !== 0 });
  try {
    for (const { name, width, height, colorScheme } of PICTURES) {
      const page = await browser.newPage({ viewport: { width, height }, colorScheme });
      await page.goto(pathToFileURL(report).href);
      const path = join(pictures, `${name}.png`);
      await page.screenshot({ path, animations: 'disabled' });
      await page.close();
      console.log(`docs/pictures/${name}.png, ${Math.ceil(statSync(path).size / 1024)} KB`);
    }
  } finally {
    await browser.close();
  }
}
