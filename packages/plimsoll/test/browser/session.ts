import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';

const script = new URL('../../../../scripts/chromium.mjs', import.meta.url).href;
/** Path of a Chromium on this machine, or `null`; scripts/chromium.mjs says where it is looked for. */
export const { findChromium } = (await import(script)) as { readonly findChromium: () => string | null };

const root = fileURLToPath(new URL('../../../../', import.meta.url));

/** A page that was opened, and what it did that a report must not do. */
export interface Opened {
  readonly page: Page;
  /** Errors and warnings on the console, exceptions, dialogs, and requests for anything but the page: must stay empty. */
  readonly faults: string[];
}

/** On a crowded machine a browser may need minutes. */
const PATIENCE_MS = 300_000;

/** Chromium in a sandbox, unless it is root's, for whom it has none. */
export const launch = (executablePath: string): Promise<Browser> =>
  chromium.launch({ executablePath, chromiumSandbox: process.getuid?.() !== 0, timeout: PATIENCE_MS });

/** One browser for all tests; each page has a context of its own. Playwright kills the browser when a signal ends this process. */
export class Session {
  readonly #folder = mkdtempSync(join(tmpdir(), 'plimsoll-browser-'));
  #browser: Browser | undefined;
  #files = 0;

  async start(): Promise<void> {
    const executable = findChromium();
    assert.ok(executable !== null);
    this.#browser = await launch(executable);
  }

  async stop(): Promise<void> {
    await this.#browser?.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** Open a page from a file, as people do, run a test with it, and check that it did nothing that a report must not do. */
  async with(
    html: string,
    options: BrowserContextOptions,
    run: (page: Page, opened: Opened) => Promise<void>,
  ): Promise<void> {
    const browser = this.#browser;
    assert.ok(browser !== undefined);
    const file = join(this.#folder, `report-${++this.#files}.html`);
    writeFileSync(file, html);
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, ...options });
    context.setDefaultTimeout(PATIENCE_MS);
    try {
      const page = await context.newPage();
      const opened = { page, faults: watch(page, pathToFileURL(file).href) };
      await page.goto(pathToFileURL(file).href);
      await run(page, opened);
      assert.deepEqual(opened.faults, []);
    } finally {
      await context.close();
    }
  }
}

function watch(page: Page, url: string): string[] {
  const faults: string[] = [];
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) faults.push(`console: ${message.text()}`);
  });
  page.on('pageerror', (error) => faults.push(`exception: ${error.message}`));
  page.on('request', (request) => {
    // What the page saves is a blob of its own.
    if (request.url() !== url && !request.url().startsWith('blob:')) faults.push(`request: ${request.url()}`);
  });
  page.on('dialog', (dialog) => {
    faults.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  return faults;
}

/** Path of a file of the repository. */
export const inRepository = (path: string): string => join(root, path);
