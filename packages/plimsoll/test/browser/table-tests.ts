import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { hostPage } from './host-page.js';
import type { Session } from './session.js';

const ROWS = [
  ['/a|b', '1.2 s', '−3', '1,200'],
  ['/c', '900 ms', '12', '–'],
  ['/<b>', '85 µs', '+2.5', '30'],
  ['/d10', '2 min 10 s', '0', '4'],
  ['/d9', '–', '−12', '500'],
];

const escaped = (text: string): string => text.replaceAll('<', '&lt;');
const TABLE = `<table id="figures" data-sortable><thead><tr>${['Route', 'Time', 'Change', 'Requests'].map((head) => `<th scope="col">${head}</th>`).join('')}</tr></thead>
<tbody>${ROWS.map((row) => `<tr>${row.map((cell) => `<td>${escaped(cell)}</td>`).join('')}</tr>`).join('')}</tbody></table>
<pre id="markdown" hidden>| a |
| --- |
| 1 |</pre><button type="button" data-copy="markdown" hidden>Copy as Markdown</button>
<pre id="line">UV_THREADPOOL_SIZE=8</pre><button type="button" data-copy="line" hidden>Copy the line</button>`;

const html = hostPage(TABLE);

const column = (page: Page, index: number): Promise<string[]> =>
  page.locator(`#figures tbody tr td:nth-child(${index + 1})`).allTextContents();

export function tableTests(session: Session): void {
  test('headers sort by what the figures mean, by mouse and by keyboard', () =>
    session.with(html, {}, async (page) => {
      const header = (name: string) => page.getByRole('columnheader', { name });
      const button = (name: string) => page.getByRole('button', { name, exact: true });
      await button('Time').click();
      assert.deepEqual(await column(page, 1), ['85 µs', '900 ms', '1.2 s', '2 min 10 s', '–']);
      assert.equal(await header('Time').getAttribute('aria-sort'), 'ascending');
      await button('Time').press('Enter');
      assert.deepEqual(await column(page, 1), ['2 min 10 s', '1.2 s', '900 ms', '85 µs', '–']);
      assert.equal(await header('Time').getAttribute('aria-sort'), 'descending');
      await button('Change').click();
      assert.deepEqual(await column(page, 2), ['−12', '−3', '0', '+2.5', '12']);
      assert.equal(await header('Time').getAttribute('aria-sort'), null);
      await button('Requests').click();
      assert.deepEqual(await column(page, 3), ['4', '30', '500', '1,200', '–']);
      await button('Route').click();
      assert.deepEqual((await column(page, 0)).slice(-2), ['/d9', '/d10']);
    }));

  test('a button copies a text as it is, hidden or not', () =>
    session.with(html, { permissions: ['clipboard-read', 'clipboard-write'] }, async (page) => {
      const clipboard = (): Promise<string> => page.evaluate(() => navigator.clipboard.readText());
      await page.getByRole('button', { name: 'Copy as Markdown' }).click();
      await page.getByText('Copied').waitFor();
      assert.equal(await clipboard(), '| a |\n| --- |\n| 1 |');
      await page.getByRole('button', { name: 'Copy the line' }).click();
      await page.waitForFunction(() => document.querySelectorAll('[aria-live]')[1]?.textContent === 'Copied');
      assert.equal(await clipboard(), 'UV_THREADPOOL_SIZE=8');
    }));

  test('without a clipboard it is copied all the same', () =>
    session.with(html, {}, async (page) => {
      await page.evaluate(() => {
        Object.defineProperty(navigator, 'clipboard', { value: undefined });
        document.addEventListener('copy', () => {
          document.title = (document.activeElement as HTMLTextAreaElement).value;
        });
      });
      await page.getByRole('button', { name: 'Copy the line' }).click();
      await page.getByText('Copied').waitFor();
      assert.equal(await page.title(), 'UV_THREADPOOL_SIZE=8');
      assert.equal(await page.locator('textarea').count(), 0);
    }));
}
