import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { captureEnvironment } from '#plimsoll/host/environment.js';
import { cellValue, compareCells } from '#plimsoll/report/html/client/cells.js';
import { moved, zoomed } from '#plimsoll/report/html/client/window.js';
import { ticksOf } from '#plimsoll/report/html/jobs/axis.js';
import { jobTimelines } from '#plimsoll/report/html/jobs/index.js';
import { type Family, familyOf, type Job, type Panel } from '#plimsoll/report/html/jobs/panel.js';
import { type Row, rowsOf } from '#plimsoll/report/html/jobs/rows.js';
import { PAGE_SCRIPT } from '#plimsoll/report/html/page-script.js';
import type { Span, Timeline } from '#plimsoll/results/timeline.js';
import type { Trace, TracedJob } from '#plimsoll/results/trace.js';

const environment = captureEnvironment({ directory: '.' });
const startedAt = new Date(0).toISOString();

const job = (given: Partial<Job>): Job => ({
  ...{ what: 'crypto', family: 'crypto', owner: '', loop: 0, cpuMs: null, slowIo: false, inferred: false },
  ...{ submitMs: 0, startMs: 0, endMs: 10, callbackMs: 10, thread: null, queued: false },
  ...given,
});

const panel = (size: number, jobs: readonly Job[]): Panel => ({
  ...{ heading: '', requests: 0, size, loops: 1, jobs, others: [], durationMs: 100, notes: [] },
});

const rowsFor = (size: number, jobs: readonly Job[]): { rows: Row[]; leftOut: string[] } =>
  rowsOf(panel(size, jobs), () => '');

const rowsNamed = (rows: readonly Row[], label: string): Row[] =>
  rows.filter((row) => row.label.startsWith(label));

describe('the rows of a timeline of jobs', () => {
  test('a job stands on its thread, and where it waited on a lane of its own', () => {
    const { rows } = rowsFor(2, [
      job({ thread: 1 }),
      job({ thread: 2, endMs: 30 }),
      job({ thread: 1, queued: true, startMs: 10, endMs: 20 }),
    ]);
    assert.deepEqual(
      rows.map(({ label, bars }) => [label, bars.length]),
      [
        ['event loop', 0],
        ['waiting', 1],
        ['thread 1', 2],
        ['thread 2', 1],
      ],
    );
  });

  test('lookups of unknown threads stay under their ceiling, which is drawn', () => {
    const lookup = (startMs: number): Job =>
      job({ family: 'dns', slowIo: true, startMs, endMs: startMs + 10 });
    const file = job({ family: 'fs', startMs: 0, endMs: 20 });
    const { rows } = rowsFor(4, [file, lookup(0), lookup(0), lookup(10), lookup(10)]);
    const threads = rowsNamed(rows, 'thread');
    assert.deepEqual(
      threads.map(({ bars }) => bars.map(({ family }) => family)),
      [['dns', 'dns'], ['dns', 'dns'], ['fs'], []],
    );
    assert.deepEqual(
      threads.map(({ ceiling }) => ceiling),
      [undefined, 'at most 2 of 4 serve lookups', undefined, undefined],
    );
  });

  test('a job that found a free thread did not wait, however late the thread began', () => {
    assert.deepEqual(rowsNamed(rowsFor(2, [job({ thread: 1, startMs: 5 })]).rows, 'waiting'), []);
  });

  test('without lookups there is no ceiling', () => {
    assert.ok(rowsFor(4, [job({})]).rows.every(({ ceiling }) => ceiling === undefined));
  });

  test('what is too much to draw is said', () => {
    const waits = Array.from({ length: 30 }, () => job({ queued: true, startMs: 50, endMs: 60, thread: 1 }));
    assert.ok(rowsFor(1, waits).leftOut.includes('6 more waited at the same time'));
    const many = Array.from({ length: 70 }, (_, index) => job({ thread: index + 1 }));
    const { rows, leftOut } = rowsFor(100, many);
    assert.equal(rowsNamed(rows, '').filter(({ height }) => height === 9).length, 64);
    assert.deepEqual(leftOut, ['6 more threads ran jobs', '30 of 100 threads ran none of these jobs']);
  });
});

const span = (request: number, given: Partial<Span>): Span => ({
  ...{ request, what: 'crypto', where: 'pool', inferred: false, queued: false, thread: 1, cpuMs: 4 },
  ...{ submitMs: 0, startMs: 0, endMs: 10, callbackMs: 10 },
  ...given,
});

const timeline = (size: number, spans: Span[], operation = 'pbkdf2'): Timeline => ({
  ...{ schema: 'plimsoll/1', kind: 'timeline', environment, operation, description: '', size, startedAt },
  ...{ observedThreads: size, interrupted: false },
  experiments: [{ requests: spans.length, wallMs: 20 * size, timings: [], spans, observations: [] }],
});

const tracedJob = (submitMs: number, given: Partial<TracedJob> = {}): TracedJob => ({
  ...{ kind: 'zlib', slowIo: false, loopThread: 7, cpuMs: null, thread: 70, inferred: false, queued: false },
  ...{ parent: null, cause: null, operation: null },
  ...{ submitMs, startMs: submitMs, endMs: submitMs + 1, callbackMs: submitMs + 1 },
  ...given,
});

const trace = (jobs: readonly TracedJob[]): Trace => ({
  ...{ environment, command: ['node', 'app.js'], startedAt, durationMs: 10_000, notes: [] },
  processes: [
    {
      ...{
        pid: 1,
        ppid: 0,
        node: 'v20',
        script: null,
        observedThreads: 4,
        size: 4,
        startMs: 0,
        endMs: 10_000,
      },
      ...{ jobs, operations: [], requests: [], usage: [] },
    },
  ],
});

describe('timelines of jobs', () => {
  test('two sizes of an operation share one time scale; other operations and documents do not', () => {
    const found = jobTimelines([
      timeline(2, [span(1, {})]),
      timeline(1, [span(1, {})], 'gzip'),
      { kind: 'bench' },
      timeline(4, [span(1, {})]),
    ]);
    assert.deepEqual(
      found.map(({ title, html }) => [
        title,
        html.match(/data-ms="\d+"/)?.[0],
        html.split('data-plane').length - 1,
      ]),
      [
        ['pbkdf2', 'data-ms="80"', 2],
        ['gzip', 'data-ms="20"', 1],
      ],
    );
  });

  test('a result that no pool thread worked for has its picture, and no table', () => {
    const outside = span(1, { where: 'kernel', what: 'socket', thread: null, cpuMs: null });
    const [found] = jobTimelines([timeline(4, [outside])]);
    assert.match(found?.html ?? '', /class="running outside"/);
    assert.doesNotMatch(found?.html ?? '', /<table/);
  });

  test('of a long trace the jobs around the longest wait are drawn, and their number is said', () => {
    const jobs = Array.from({ length: 5000 }, (_, index) =>
      tracedJob(index, index === 3000 ? { startMs: 3040, endMs: 3041, callbackMs: 3042, queued: true } : {}),
    );
    const html = jobTimelines([trace(jobs)])[0]?.html ?? '';
    assert.match(html, /160 of 5,000 jobs are drawn, around the one that waited longest; 0 is 2\.92 s after/);
    assert.equal(html.match(/class="waiting zlib"/g)?.length, 2, 'the bar, and the legend');
    assert.ok(html.length < 60_000, `${html.length} characters`);
  });

  test('nothing is drawn of nothing', () => {
    assert.deepEqual(jobTimelines([]), []);
    assert.deepEqual(jobTimelines([trace([]), { kind: 'load' }]), []);
  });

  test('a family is told by its name; what is inferred and no lookup is fs', () => {
    const expected: [string, boolean, Family][] = [
      ['crypto', false, 'crypto'],
      ['lookup', true, 'dns'],
      ['dns.lookupService', true, 'dns'],
      ['read', true, 'fs'],
      ['fs.read', false, 'fs'],
      ['sharp', false, 'add-on'],
    ];
    for (const [what, inferred, family] of expected) assert.equal(familyOf(what, inferred), family, what);
  });
});

describe('the axis', () => {
  test('has few, round ticks', () => {
    const labels = (from: number, to: number): string[] => ticksOf(from, to).map(({ label }) => label);
    assert.deepEqual(labels(0, 269.3), ['0 ms', '100', '200']);
    assert.deepEqual(labels(0, 250), ['0 ms', '50', '100', '150', '200', '250']);
    assert.deepEqual(labels(0, 1), ['0 ms', '0.2', '0.4', '0.6', '0.8', '1']);
    assert.deepEqual(labels(10.1, 10.4), ['10.1 ms', '10.2', '10.3', '10.4']);
    assert.deepEqual(labels(0, 60_000), ['0 s', '20', '40', '60']);
  });
});

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

  test('zooms about a place, and never shows what is not there', () => {
    assert.deepEqual(zoomed({ from: 0, to: 100 }, 2, 0.25, 100), { from: 12.5, to: 62.5 });
    assert.deepEqual(zoomed({ from: 12.5, to: 62.5 }, 0.1, 0.5, 100), { from: 0, to: 100 });
    assert.deepEqual(moved({ from: 12.5, to: 62.5 }, 1, 100), { from: 50, to: 100 });
    const closest = zoomed({ from: 0, to: 100 }, 1e9, 0, 100);
    assert.ok(closest.to - closest.from > 0);
  });
});
