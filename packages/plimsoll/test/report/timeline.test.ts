import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { stripVTControlCharacters } from 'node:util';
import pc from 'picocolors';
import { captureEnvironment } from '#plimsoll/host/environment.js';
import { bar, ticks, timeAxis } from '#plimsoll/report/bars.js';
import { reportText } from '#plimsoll/report/documents.js';
import { plainStyle } from '#plimsoll/report/style.js';
import { type Span, type Timeline, timelineSchema } from '#plimsoll/results/timeline.js';

const span = (request: number, given: Partial<Span>): Span => ({
  ...{ request, what: 'crypto', where: 'pool', inferred: false, queued: false, thread: 1, cpuMs: 40 },
  ...{ submitMs: 0, startMs: 0, endMs: 100, callbackMs: 100 },
  ...given,
});

const SPANS = [
  span(1, {}),
  span(2, { queued: true, startMs: 100, endMs: 200, callbackMs: 250 }),
  span(3, { inferred: true, thread: null, cpuMs: null, what: 'stat', startMs: 50 }),
  span(4, { where: 'kernel', thread: null, cpuMs: null, what: 'socket' }),
  span(5, { where: 'main', thread: null, cpuMs: null, what: 'main thread' }),
];

const RESULT: Timeline = timelineSchema.parse({
  schema: 'plimsoll/1',
  kind: 'timeline',
  environment: captureEnvironment({ directory: '.' }),
  operation: 'evil\x1b[31m',
  description: 'what it does, told at such a length that it has to be broken into lines on a narrow terminal',
  ...{ size: 2, observedThreads: 2, interrupted: false, startedAt: new Date(0).toISOString() },
  experiments: [
    {
      requests: 5,
      wallMs: 250,
      timings: SPANS.map(({ request, callbackMs }) => ({ request, startMs: 0, endMs: callbackMs })),
      spans: SPANS,
      observations: [
        {
          id: 'timeline.waited',
          text: 'request 2 waited for a pool thread, and this is a long sentence about it',
          evidence: { longestMs: 100 },
        },
      ],
    },
  ],
});

describe('the picture of a timeline', () => {
  for (const width of [80, 140])
    test(`fits into ${width} columns, and obeys no control characters`, () => {
      const lines = reportText(RESULT, plainStyle(width)).split('\n');
      for (const line of lines) assert.ok([...line].length <= width, line);
      assert.ok(!lines.join('').includes('\x1b'));
      assert.ok(lines[0]?.includes('evil\\x1b[31m'));
    });

  test('every part has a sign of its own: without colours nothing is lost', () => {
    const plain = reportText(RESULT, plainStyle(80));
    for (const sign of ['█', '░', '·', '▒', '┄', '─', '▓']) assert.ok(plain.includes(sign), sign);
    const coloured = reportText(RESULT, { width: 80, color: pc.createColors(true) });
    assert.notEqual(coloured, plain);
    assert.equal(stripVTControlCharacters(coloured), plain);
  });

  test('bars are aligned on one axis', () => {
    const waited = [
      { part: 'queue', fromMs: 0, toMs: 100 },
      { part: 'pool', fromMs: 100, toMs: 200 },
      { part: 'loop', fromMs: 200, toMs: 250 },
    ] as const;
    assert.deepEqual(bar(waited, 250, 5), ['queue', 'queue', 'pool', 'pool', 'loop']);
    assert.deepEqual(bar([{ part: 'pool', fromMs: 0, toMs: 100 }], 250, 5), [
      'pool',
      'pool',
      null,
      null,
      null,
    ]);
    assert.equal(timeAxis(100, 40).indexOf('╵50'), 20);
    assert.equal(timeAxis(100, 40).indexOf('╵100'), 40);
  });

  test('an axis has few, round ticks', () => {
    assert.deepEqual(ticks(0, 269.3, 269.3 / 5), [0, 100, 200]);
    assert.deepEqual(ticks(0, 250, 50), [0, 50, 100, 150, 200, 250]);
    assert.deepEqual(ticks(0, 1, 0.2), [0, 0.2, 0.4, 0.6, 0.8, 1]);
    assert.deepEqual(ticks(0, 60_000, 12_000), [0, 20_000, 40_000, 60_000]);
  });

  test('what is shorter than a cell is drawn all the same', () => {
    assert.deepEqual(bar([{ part: 'pool', fromMs: 51, toMs: 52 }], 100, 4), [null, null, 'pool', null]);
  });
});
