import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { cellValue, compareCells } from '#plimsoll/report/html/client/cells.js';
import { PAGE_SCRIPT } from '#plimsoll/report/html/page-script.js';

describe('the script of the page', () => {
  test('is small, writes no HTML, and does not end its element', () => {
    assert.ok(PAGE_SCRIPT.length > 2000 && PAGE_SCRIPT.length < 8 * 1024, `${PAGE_SCRIPT.length} characters`);
    assert.doesNotMatch(
      PAGE_SCRIPT,
      /innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|<\/script/i,
    );
  });

  test('knows figures, units and gaps', () => {
    const expected: [string, number | string | null][] = [
      ['1,234.5', 1234.5],
      ['85 µs', 0.085],
      ['1.5 s', 1500],
      ['2 min 10 s', 130_000],
      ['−49 % [−50, −47]', -49],
      ['12 MB', 12 * 2 ** 20],
      ['–', null],
      ['', null],
      ['GET /a', 'GET /a'],
    ];
    for (const [text, value] of expected) assert.equal(cellValue(text), value, text);
    assert.ok(compareCells('–', '1', 1) > 0 && compareCells('–', '1', -1) > 0);
  });
});
