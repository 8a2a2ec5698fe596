import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { printable } from '#plimsoll/host/printable.js';
import type { Report } from '#plimsoll/report/document.js';
import { reportPage } from '#plimsoll/report/html/page.js';
import { markdown } from '#plimsoll/report/markdown.js';
import { plainStyle } from '#plimsoll/report/style.js';
import { terminal } from '#plimsoll/report/terminal.js';
import { resultOf } from '../tune/simulated.js';

/** Turns the direction of what follows, ends a line, sets a title, makes a tag, a cell and a link. */
const HOSTILE = 'a\u202eb\u2028c\u001b]0;x\u0007<img src=x>|[y](http://z)`';

/** A hostile text in every place that there is for one. */
const EVERYWHERE: Report = {
  ...{ command: 'plimsoll bench', subject: HOSTILE, about: [HOSTILE], warning: HOSTILE },
  verdicts: [
    {
      ...{ work: HOSTILE, size: 4, sign: '4', confidence: 'sure', gain: HOSTILE, sure: HOSTILE },
      because: HOSTILE,
    },
  ],
  sections: [
    {
      title: HOSTILE,
      aside: HOSTILE,
      blocks: [
        { kind: 'headline', text: HOSTILE, tone: 'good' },
        { kind: 'note', text: HOSTILE },
        { kind: 'findings', findings: [{ severity: 'note', text: HOSTILE, id: 'bench.noisy' }] },
        { kind: 'names', groups: [{ label: HOSTILE, names: [HOSTILE] }] },
        {
          ...{ kind: 'table', caption: HOSTILE, rows: [[HOSTILE]] },
          columns: [{ title: HOSTILE, align: 'left', expendable: 0 }],
        },
        {
          ...{ kind: 'bars', caption: HOSTILE, toMs: 10 },
          rows: [
            {
              ...{ label: '1', time: '1 ms', note: HOSTILE },
              stretches: [{ part: 'pool', fromMs: 0, toMs: 5 }],
            },
          ],
        },
        {
          ...{ kind: 'curve', title: HOSTILE, chosen: null, rules: [], isRatio: true, format: String },
          points: [{ size: 1, value: 1, interval: null }],
        },
      ],
    },
  ],
};

describe('texts of others', () => {
  const unseen = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

  test('what steers a terminal or hides in a text is shown', () => {
    assert.equal(printable('a\u202eb\u001bc\u200d\u00ad'), 'a\\u{202e}b\\x1bc\\u{200d}\\xad');
    assert.equal(printable('ä–½ 漢'), 'ä–½ 漢');
  });

  test('in a terminal', () => {
    const text = terminal(EVERYWHERE, plainStyle(80)).replaceAll('\n', '');
    assert.doesNotMatch(text, unseen);
    assert.ok(text.split('\\u{202e}').length > 8);
  });

  test('in Markdown', () => {
    const text = markdown(EVERYWHERE);
    assert.doesNotMatch(text.replaceAll('\n', ''), unseen);
    assert.doesNotMatch(text.replace(/```text[\s\S]*?```/g, ''), /(?<!\\)[<`](?!bench)(?!\))|\]\(/);
    assert.match(text, /^\| a.*\\\|/m);
  });

  test('in a page', () => {
    const page = reportPage([{ document: {}, report: () => EVERYWHERE }], HOSTILE);
    assert.doesNotMatch(page.replaceAll('\n', ''), unseen);
    assert.doesNotMatch(page, /<img/);
    assert.ok(page.split('&lt;img src=x&gt;').length > 15);
  });
});

test('a size is as large as its confidence, and one that nobody is sure of is not there to be copied', () => {
  const pageOf = (size: number | null, confidence: 'sure' | 'cannot tell'): string => {
    const verdict = { work: 'a', size, sign: '~8', confidence, gain: '', sure: '', because: '' };
    const report: Report = { command: 'plimsoll bench', verdicts: [verdict], sections: [] };
    return reportPage([{ document: {}, report: () => report }]);
  };
  assert.match(pageOf(8, 'sure'), /<p class="size"><span>~8<\/span><span class="good">sure<\/span>/);
  assert.match(pageOf(8, 'sure'), /UV_THREADPOOL_SIZE=8/);
  assert.match(pageOf(null, 'cannot tell'), /<span>~8<\/span><span class="bad">cannot tell<\/span>/);
  assert.doesNotMatch(pageOf(null, 'cannot tell'), /UV_THREADPOOL_SIZE=/);
});

describe('a page is made to be shared', () => {
  const result = resultOf({ cost: (size) => (size === 16 ? 0.7 : 1) });
  const pageOf = (command: string[], traffic: string): string =>
    reportPage([{ ...result, command, method: { ...result.method, traffic } }]);

  test('of a command its program and script are named, and nothing else', () => {
    const page = pageOf(
      ['/home/me/bin/node', '--require', './a.cjs', '/srv/app/server.js', '--token', 'hunter2'],
      'autocannon -H authorization=hunter2 http://127.0.0.1:3000',
    );
    assert.doesNotMatch(page, /hunter2|\/home|\/srv|token/);
    assert.match(page, /UV_THREADPOOL_SIZE=16 node server\.js/);
    assert.match(page, /requests: autocannon</);
  });

  test('of package managers the name of the script is, of URLs all but their user and query', () => {
    const page = pageOf(
      ['npm', 'run', 'dev', '--', 'hunter2'],
      'POST http://a:hunter2@b/c?key=hunter2 (4 connections)',
    );
    assert.doesNotMatch(page, /hunter2/);
    assert.match(page, /npm run dev/);
    assert.match(page, /requests: POST http:\/\/b\/c \(4 connections\)/);
  });
});
