import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { reportPage } from '#plimsoll/report/html/page.js';
import { ofTimelines, timelines, twoSizes } from './documents.js';
import type { Session } from './session.js';

interface Box {
  readonly x: number;
  readonly width: number;
}

/** Where the bars of each drawing stand, in percent of its width. */
const boxes = (page: Page): Promise<Box[][]> =>
  page.locator('[data-timeline] [data-plane]').evaluateAll((planes) =>
    planes.map((plane) =>
      [...plane.querySelectorAll('rect:not([data-fixed])')].map((bar) => ({
        x: Number.parseFloat(bar.getAttribute('x') ?? ''),
        width: Number.parseFloat(bar.getAttribute('width') ?? ''),
      })),
    ),
  );

const nextFrame = (page: Page): Promise<void> =>
  page.evaluate(
    () => new Promise<void>((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve()))),
  );

/** Of every drawing, that its bars stand where they stood, but zoomed by a factor about what is now at the left end. */
function assertZoomed(before: readonly Box[][], after: readonly Box[][], factor: number, left: number): void {
  assert.equal(after.length, before.length);
  for (const [plane, boxesBefore] of before.entries())
    for (const [index, { x, width }] of boxesBefore.entries()) {
      const is = after[plane]?.[index] ?? { x: Number.NaN, width: Number.NaN };
      assert.ok(Math.abs(is.x - (x - left) * factor) < 0.01, `x ${is.x}, was ${x}`);
      assert.ok(Math.abs(is.width - width * factor) < 0.01, `width ${is.width}, was ${width}`);
    }
}

const press = async (page: Page, timeline: Locator, ...keys: string[]): Promise<Box[][]> => {
  for (const key of keys) await timeline.press(key);
  await nextFrame(page);
  return boxes(page);
};

export function timelineTests(session: Session): void {
  const html = reportPage(ofTimelines(twoSizes));

  test('keys zoom and move both sizes alike', () =>
    session.with(html, {}, async (page) => {
      const timeline = page.locator('[data-timeline]');
      const whole = await boxes(page);
      assert.ok(whole.length >= 2 && whole.every((plane) => plane.length > 2));
      const zoomed = await press(page, timeline, '+', '+');
      assertZoomed(whole, zoomed, 2.25, 50 - 50 / 2.25);
      const moved = await press(page, timeline, 'ArrowRight');
      assertZoomed(whole, moved, 2.25, 50 - 50 / 2.25 + 20 / 2.25);
      assertZoomed(whole, await press(page, timeline, 'ArrowLeft', '-', '-'), 1, 0);
      assertZoomed(whole, await press(page, timeline, '+', 'ArrowRight', '0'), 1, 0);
    }));

  test('the axis says which times are shown, and does not go beyond them', () =>
    session.with(html, {}, async (page) => {
      const timeline = page.locator('[data-timeline]');
      const labels = (): Promise<string[]> =>
        page.locator('[data-plane]').first().locator('[data-axis] text').allTextContents();
      const whole = await labels();
      assert.ok(whole.includes('0 ms') && whole.length >= 3, whole.join());
      await press(page, timeline, '+', '+', '+', ...Array.from({ length: 20 }, () => 'ArrowRight'));
      const last = await labels();
      assert.ok(!last.includes('0 ms'), last.join());
      assert.ok(Number.parseFloat(last.at(-1) ?? '') <= 269.354, last.join());
    }));

  test('it is reached by Tab, says its keys, and its buttons do the same', () =>
    session.with(html, {}, async (page) => {
      const whole = await boxes(page);
      await page.keyboard.press('Tab');
      assert.equal(await page.evaluate(() => document.activeElement?.hasAttribute('data-timeline')), true);
      assert.match(await page.locator('.jobs-zoom').innerText(), /keys \+ − ← → 0/);
      await page.getByRole('button', { name: 'Zoom in' }).click();
      await nextFrame(page);
      assertZoomed(whole, await boxes(page), 1.5, 50 - 50 / 1.5);
      await page.getByRole('button', { name: 'Show all' }).click();
      await nextFrame(page);
      assertZoomed(whole, await boxes(page), 1, 0);
    }));

  test('Ctrl and the wheel zoom at the pointer, the wheel alone scrolls, and dragging moves', () =>
    session.with(html, { viewport: { width: 1000, height: 400 } }, async (page) => {
      const plane = page.locator('[data-plane]').first();
      await plane.scrollIntoViewIfNeeded();
      const box = await plane.boundingBox();
      assert.ok(box !== null);
      const whole = await boxes(page);
      await page.mouse.move(box.x + box.width / 4, box.y + 20);
      await page.mouse.wheel(0, 120);
      await nextFrame(page);
      assertZoomed(whole, await boxes(page), 1, 0);
      await page.evaluate(() => scrollTo(0, 0));
      await plane.scrollIntoViewIfNeeded();
      const at = await plane.boundingBox();
      assert.ok(at !== null);
      await page.mouse.move(at.x + at.width / 4, at.y + 20);
      await page.keyboard.down('Control');
      await page.mouse.wheel(0, -300);
      await page.keyboard.up('Control');
      await page.waitForFunction(() => document.querySelector('[data-axis] text')?.textContent !== '0 ms');
      await nextFrame(page);
      assertZoomed(whole, await boxes(page), Math.E, 25 - 25 / Math.E);
      await page.mouse.down();
      await page.mouse.move(at.x + at.width / 2, at.y + 20);
      await page.mouse.up();
      await nextFrame(page);
      assertZoomed(whole, await boxes(page), Math.E, 25 - 50 / Math.E);
    }));

  test('two fingers zoom', () =>
    session.with(html, { hasTouch: true, viewport: { width: 390, height: 844 } }, async (page) => {
      const plane = page.locator('[data-plane]').first();
      await plane.scrollIntoViewIfNeeded();
      const box = await plane.boundingBox();
      assert.ok(box !== null);
      const whole = await boxes(page);
      const devtools = await page.context().newCDPSession(page);
      const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', ...shares: number[]): Promise<unknown> =>
        devtools.send('Input.dispatchTouchEvent', {
          type,
          touchPoints: shares.map((share, id) => ({ x: box.x + box.width * share, y: box.y + 20, id })),
        });
      await touch('touchStart', 0.25, 0.5);
      await touch('touchMove', 0.25, 0.75);
      await touch('touchEnd');
      await nextFrame(page);
      const [plane0] = await boxes(page);
      const factor = (plane0?.[0]?.width ?? 0) / (whole[0]?.[0]?.width ?? 1);
      assert.ok(factor > 1.5 && factor < 2.5, `zoomed by ${factor}`);
    }));

  test('one time scale: a millisecond is as wide at either size', () =>
    session.with(html, { javaScriptEnabled: false }, async (page) => {
      const tick = (plane: number): Promise<string[]> =>
        page
          .locator('[data-plane]')
          .nth(plane)
          .locator('[data-axis]')
          .evaluate((axis) =>
            [...axis.querySelectorAll('line')].map((line) => line.getAttribute('x1') ?? ''),
          );
      const count = await page.locator('[data-plane]').count();
      const first = await tick(0);
      assert.ok(first.length > 2);
      for (let plane = 1; plane < count; plane++) assert.deepEqual(await tick(plane), first);
    }));

  test('every picture has a text that says what it shows', () =>
    session.with(reportPage(ofTimelines(timelines)), { javaScriptEnabled: false }, async (page) => {
      const planes = await page.locator('[data-plane]').all();
      assert.ok(planes.length >= timelines.length);
      for (const plane of planes)
        assert.match(
          (await plane.locator('desc').textContent()) ?? '',
          /^\d+ jobs? on \d+ pool threads? in /,
        );
    }));
}
