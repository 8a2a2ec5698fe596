import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { BrowserContextOptions, Page } from 'playwright-core';
import type { Result } from '#plimsoll/report/documents.js';
import { reportPage } from '#plimsoll/report/html/page.js';
import { assertAccessible } from './axe.js';
import { MARKUP, poisoned } from './documents.js';
import type { Session } from './session.js';

/** Each width and each scheme once: no rule of the style sheet depends on both. */
const SCREENS: Record<string, BrowserContextOptions> = {
  'desktop, light': { viewport: { width: 1440, height: 900 }, colorScheme: 'light' },
  'phone, dark': { viewport: { width: 390, height: 844 }, colorScheme: 'dark' },
};

const textOf = (page: Page): Promise<string> =>
  page.evaluate(() => document.body.textContent.replace(/\s+/g, ' '));

/** Captions of tables that must be scrolled sideways. */
const tablesCutOff = (page: Page): Promise<(string | undefined)[]> =>
  page.evaluate(() =>
    [...document.querySelectorAll('.scroll')]
      .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
      .map((element) => element.querySelector('caption')?.textContent),
  );

/** Tests that hold for every page. @param documents of the page, known when the tests run */
export function pageTests(name: string, documents: () => readonly Result[], session: Session): void {
  let html = '';
  before(() => {
    html = reportPage(documents());
  });

  for (const [screen, options] of Object.entries(SCREENS))
    test(`${name}, ${screen}: axe-core finds nothing, and nothing is wider than the screen`, () =>
      session.with(html, options, async (page) => {
        const [wide, most] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
        assert.ok(Number(wide) <= Number(most), `${wide} pixels on ${most}`);
        if (screen.startsWith('desktop')) assert.deepEqual(await tablesCutOff(page), []);
        await assertAccessible(page);
      }));

  test(`${name}: it can be read and printed, has no script, and its policy lets nothing else run or load`, () =>
    session.with(html, { colorScheme: 'dark' }, async (page, { faults }) => {
      assert.equal(await page.locator('script').count(), 0);
      assert.ok((await textOf(page)).length > 500);
      await page.emulateMedia({ media: 'print' });
      assert.equal(await page.locator('summary:visible').count(), 0, 'what only a screen can use');
      assert.ok((await page.pdf()).length > 10_000);
      const violations = await page.evaluate(async () => {
        const found: string[] = [];
        document.addEventListener('securitypolicyviolation', ({ effectiveDirective }) =>
          found.push(effectiveDirective),
        );
        const script = document.createElement('script');
        script.textContent = 'globalThis.wasRun = true';
        const image = document.createElement('img');
        image.src = 'http://127.0.0.1:9/picture.png';
        document.body.append(script, image);
        await fetch('http://127.0.0.1:9/').catch(() => undefined);
        const end = Date.now() + 60_000;
        while (found.length < 3 && Date.now() < end) await new Promise((resolve) => setTimeout(resolve, 50));
        await new Promise((resolve) => setTimeout(resolve, 100));
        return [...found, ...('wasRun' in globalThis ? ['the script was run'] : [])].sort();
      });
      assert.deepEqual(violations, ['connect-src', 'img-src', 'script-src-elem']);
      // The browser told of what it refused; that is no fault of the page.
      const others = faults
        .splice(0)
        .filter((fault) => !/Content Security Policy|127\.0\.0\.1:9/.test(fault));
      assert.deepEqual(others, []);
    }));
}

export function hostileTests(documents: () => readonly Result[], session: Session): void {
  test('texts of others stay text', () =>
    session.with(reportPage(poisoned(documents()), MARKUP), {}, async (page) => {
      assert.equal(await page.locator('img').count(), 0);
      assert.ok((await page.locator('script').count()) <= 1);
      assert.ok((await textOf(page)).includes(MARKUP));
      assert.ok((await textOf(page)).includes('\\x1b[31m'));
      const handlers = await page.evaluate(() =>
        [...document.querySelectorAll('*')].flatMap(({ attributes }) =>
          [...attributes].map(({ name }) => name).filter((attribute) => attribute.startsWith('on')),
        ),
      );
      assert.deepEqual(handlers, []);
    }));
}
