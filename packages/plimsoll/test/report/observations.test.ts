import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { observationsOf } from '#plimsoll/report/findings/timeline.js';
import type { Span } from '#plimsoll/results/timeline.js';

const span = (request: number, startMs: number, given: Partial<Span> = {}): Span => ({
  ...{ request, what: 'crypto', where: 'pool', submitMs: 0, startMs, thread: 1, cpuMs: 100 },
  ...{ endMs: startMs + 100, callbackMs: startMs + 100, inferred: false, queued: startMs > 0 },
  ...given,
});

/** What is said of a kind of finding about spans. */
function found(id: string, spans: readonly Span[], size = 2, cpus = 4) {
  const timings = spans.map(({ request, callbackMs }) => ({ request, startMs: 0, endMs: callbackMs }));
  const wallMs = Math.max(...spans.map(({ callbackMs }) => callbackMs));
  const experiment = { requests: spans.length, wallMs, timings, spans: [...spans] };
  return observationsOf(experiment, { size, cpus }).find((one) => one.id === id);
}

/** Requests that find a free thread, and those that wait. */
const waiting = (free: readonly number[], late: readonly number[]): Span[] => [
  ...free.map((request) => span(request, 0)),
  ...late.map((request) => span(request, 43.4)),
];

describe('what a timeline shows, in sentences', () => {
  const waited = (free: readonly number[], late: readonly number[], size: number): string =>
    found('timeline.waited', waiting(free, late), size)?.text ?? '';

  test('requests that waited, many waves cut short', () => {
    assert.equal(
      waited([1, 2, 3, 4], [5, 6], 4),
      '4 + 2: 2 requests waited for a pool thread, up to 43.4 ms',
    );
    const many = Array.from({ length: 996 }, (_, index) => index + 5);
    assert.equal(
      waited([1, 2, 3, 4], many, 4),
      '4 + 4 + 4 + …: 996 requests waited for a pool thread, up to 43.4 ms',
    );
    assert.match(waited([1], [2], 1), /^1 \+ 1: 1 request waited/);
  });

  test('numbers and words agree', () => {
    const slowed = (cpuMs: number): Span[] => [1, 2, 3, 4].map((request) => span(request, 0, { cpuMs }));
    assert.equal(
      found('timeline.shared-cores', slowed(51), 4, 1)?.text,
      'each job took twice its CPU time: up to 4 threads shared 1 core',
    );
    assert.equal(
      found('timeline.shared-cores', slowed(37.6), 4, 1.5)?.text,
      'each job took 2.7 times its CPU time: up to 4 threads shared 1.5 cores',
    );
    const lookups = [span(1, 0, { what: 'lookup' }), span(2, 100, { what: 'lookup' })];
    assert.match(
      found('timeline.half-for-lookups', lookups, 1)?.text ?? '',
      /only 1 of 1 pool thread serves lookups/,
    );
  });

  test('the numbers stand beside the sentence: waves follow from the requests that found no free thread', () => {
    const spans = [span(1, 0), span(2, 0), span(3, 100), span(4, 100), span(5, 200)];
    assert.deepEqual(found('timeline.waited', spans)?.evidence, {
      waves: [2, 2, 1],
      longestMs: 200,
      inferred: false,
    });
  });
});
