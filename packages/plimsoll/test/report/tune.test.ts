import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { recommendedSize } from '#plimsoll/api/result-files.js';
import { withGuardian } from '#plimsoll/lab/guardian.js';
import { reportText } from '#plimsoll/report/documents.js';
import { reportPage } from '#plimsoll/report/html/page.js';
import { tuneProgressText } from '#plimsoll/report/progress.js';
import { plainStyle } from '#plimsoll/report/style.js';
import type { TuneResult } from '#plimsoll/results/tune.js';
import type { TuneProgress } from '#plimsoll/tune/request.js';
import type { Window } from '#plimsoll/tune/sample.js';
import { contest, resultOf } from '../tune/simulated.js';

const better = (size: number): number => ({ 1: 1.6, 16: 0.7 })[size] ?? 1;
const HOSTILE = '<img src=x onerror=alert(1)>\u001b[31m';

/** Two routes, one of which somebody else named. */
const routes = (window: Window): Window => {
  const [all = []] = window.routes.values();
  return {
    ...window,
    routes: new Map([
      ['GET /', all.slice(0, 60)],
      [HOSTILE, all.slice(60)],
    ]),
  };
};

const changed = resultOf({ cost: better, change: routes });
const noisy = resultOf({ twin: 1.2 });
const none: TuneResult = { ...resultOf({ blocks: 1 }), sizes: [], twin: null };

const text = (result: TuneResult, width = 80): string => reportText(result, plainStyle(width));
const page = (result: TuneResult): string => reportPage([result]);

describe('the text', () => {
  for (const width of [80, 140])
    test(`is at most ${width} columns wide, and has no control characters`, () => {
      for (const result of [changed, noisy, none])
        for (const line of text(result, width).split('\n')) {
          assert.ok([...line].length <= width, `${[...line].length}: ${line}`);
          assert.doesNotMatch(line, /\p{Cc}/u);
        }
    });

  test('leads with the answer, marks its row, and ends with the line to copy', () => {
    const lines = text(changed).split('\n');
    assert.match(
      lines.find((line) => line.includes('16: −')) ?? '',
      /^16: −\d+ % mean latency against 4 .*\(sure\)$/,
    );
    assert.ok(lines.some((line) => line.startsWith('→   16 ')));
    assert.equal(lines.at(-1), 'UV_THREADPOOL_SIZE=16 node server.js');
  });

  test('leads with "Cannot tell", marks no row, and has nothing to copy', () => {
    const lines = text(noisy).split('\n');
    assert.ok(lines.some((line) => line.startsWith('Cannot tell: keep 4; ')));
    assert.ok(!lines.some((line) => line.startsWith('→ ') || line.startsWith('UV_THREADPOOL_SIZE')));
  });

  test('quotes the words of the command that a shell would read otherwise', () => {
    const command = ['node', 'a b.js', "it's", '$HOME'];
    const last = text({ ...changed, command })
      .split('\n')
      .at(-1);
    assert.equal(last, `UV_THREADPOOL_SIZE=16 node 'a b.js' 'it'\\''s' '$HOME'`);
  });
});

test('a process that runs already can be resized at once', () => {
  const lines = text({ ...changed, command: null, pid: 4711 }).split('\n');
  assert.deepEqual(lines.slice(-2), ['plimsoll resize 4711 16', 'UV_THREADPOOL_SIZE=16 at the next start']);
});

describe('the page', () => {
  test('has the size, the curve and the routes, and texts of others stay text', () => {
    const html = page(changed);
    assert.match(html, /UV_THREADPOOL_SIZE=16/);
    assert.match(html, /Mean latency against 4/);
    assert.match(html, /&lt;img src=x/);
    assert.doesNotMatch(html, /<img/);
  });

  test('names no size where there is none', () => {
    for (const result of [noisy, none]) {
      assert.match(page(result), /Cannot tell: keep 4/);
      assert.doesNotMatch(page(result), /UV_THREADPOOL_SIZE=/);
    }
  });
});

test('run takes the size that is recommended, and nothing from a result that cannot tell', () =>
  withGuardian(async (guardian) => {
    const file = join(guardian.temporaryDirectory(), 'tuned.json');
    writeFileSync(file, JSON.stringify(changed));
    assert.equal(recommendedSize(file), 16);
    writeFileSync(file, JSON.stringify(noisy));
    assert.throws(() => recommendedSize(file), { code: 'PLIMSOLL_USAGE', message: /recommends no size/ });
  }));

test('progress fits the terminal, and says who leads and who is still in', () => {
  const { judgement } = contest({ sizes: [1, 4, 16], cost: better, noise: 0.03, blocks: 8 }, 3);
  const measuring: TuneProgress = {
    ...{
      phase: 'measuring',
      at: 'http://127.0.0.1:3000',
      blocks: 8,
      known: judgement,
      share: 0.4,
      leftMs: 36_000,
    },
  };
  assert.match(
    tuneProgressText(measuring, 'mean', 80),
    /^40 % {2}36 s left {2}8 blocks {2}16 leads −\d+ % ±\d.* {2}remaining: /,
  );
  const waiting: TuneProgress = { ...measuring, phase: 'waiting', known: null, blocks: 0 };
  assert.equal(
    tuneProgressText(waiting, 'mean', 80),
    'waiting for requests at http://127.0.0.1:3000 (36 s left)',
  );
  for (const width of [20, 60]) assert.ok(tuneProgressText(measuring, 'mean', width).length < width);
});
