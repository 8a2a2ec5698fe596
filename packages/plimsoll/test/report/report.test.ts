import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { formatBytes, formatChange, formatDuration, formatMs } from '#plimsoll/report/format.js';
import { progressLine } from '#plimsoll/report/progress.js';
import { terminalStyle } from '#plimsoll/report/style.js';
import { markdownTable, renderTable, wrap } from '#plimsoll/report/table.js';

test('figures have three significant digits and their unit', () => {
  assert.equal(formatMs(1658), '1.66 s');
  assert.equal(formatMs(85.34), '85.3 ms');
  assert.equal(formatMs(0.4), '0.40 ms');
  assert.equal(formatDuration(130_000), '2 min 10 s');
  assert.equal(formatBytes(104_857_600), '100 MB');
  assert.equal(formatChange(0.51, [0.499, 0.528]), '−49 % [−50, −47]');
  assert.equal(formatChange(1.021, [0.99, 1.05]), '+2.1 % [−1.0, +5.0]');
});

describe('tables', () => {
  const columns = [
    { title: 'size', align: 'right', expendable: 0 },
    { title: 'memory', align: 'right', expendable: 2 },
    { title: 'verdict', align: 'left', expendable: 0 },
  ] as const;

  test('align, and count characters and not escapes', () => {
    const lines = renderTable(columns, [['\x1b[1m4\x1b[0m', '9 MB', 'same']], 80);
    assert.deepEqual(lines, ['size  memory  verdict', '   \x1b[1m4\x1b[0m    9 MB  same']);
  });

  test('leave out what is expendable when the terminal is narrow', () => {
    assert.deepEqual(renderTable(columns, [['4', '9 MB', 'same']], 15), ['size  verdict', '   4  same']);
  });

  test('Markdown keeps every column', () => {
    assert.deepEqual(markdownTable(columns, [['4', 'a|b', 'same']]), [
      '| size | memory | verdict |',
      '| ---: | ---: | --- |',
      '| 4 | a\\|b | same |',
    ]);
  });

  test('text is wrapped between words', () => {
    assert.deepEqual(wrap('one two three', 8, '  '), ['one two', '  three']);
  });
});

test('progress fits the terminal', () => {
  const name = 'a-workload-with-a-very-long-name.mjs';
  const progress = { generation: 3, leftMs: 130_000, share: 0.42 };
  for (const width of [40, 80, 140]) assert.ok(progressLine(name, progress, width).length < width);
  assert.match(progressLine(name, progress, 140), /mjs: 3 generations {2}42 % {2}2 min 10 s left/);
});

test('colour only on terminals, and never against NO_COLOR', (t) => {
  const { env } = process;
  t.after(() => {
    process.env = env;
  });
  const isColoured = (isTTY: boolean, NO_COLOR: string): boolean => {
    process.env = { TERM: 'xterm', NO_COLOR };
    return terminalStyle({ isTTY }).color.red('x') !== 'x';
  };
  assert.equal(isColoured(true, ''), true);
  assert.equal(isColoured(true, '1'), false);
  assert.equal(isColoured(false, ''), false);
});
