import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type ObservationFact, observationsOf } from '#plimsoll/classify/observations.js';
import { observations } from '#plimsoll/report/findings/timeline.js';

const waited = (waves: readonly number[], requests: readonly number[]): ObservationFact => ({
  id: 'timeline.waited',
  waves,
  requests,
  longestMs: 143.4,
  inferred: false,
});

describe('what a timeline shows, in sentences', () => {
  const says = (fact: ObservationFact): string => observations([fact])[0]?.text ?? '';

  test('requests that waited: neighbours together, many waves cut short', () => {
    assert.equal(
      says(waited([4, 2], [5, 6])),
      '4 + 2: requests 5 and 6 waited for a pool thread, up to 143 ms',
    );
    const many = Array.from({ length: 996 }, (_, index) => index + 5);
    assert.equal(
      says(waited(Array(250).fill(4), many)),
      '4 + 4 + 4 + …: requests 5 to 1000 waited for a pool thread, up to 143 ms',
    );
    assert.match(says(waited([1, 1], [2])), /^1 \+ 1: request 2 waited/);
    assert.match(says(waited([2, 4], [1, 3, 4, 5, 9])), /requests 1, 3 to 5 and 9 waited/);
  });

  test('numbers and words agree', () => {
    assert.match(
      says({ id: 'timeline.shared-cores', slowdown: 1.96, threads: 4, cpus: 1 }),
      /^each took twice its CPU time: up to 4 threads on 1 core$/,
    );
    assert.match(
      says({ id: 'timeline.shared-cores', slowdown: 2.66, threads: 4, cpus: 1.5 }),
      /^each took 2\.7 times its CPU time: up to 4 threads on 1\.5 cores$/,
    );
    assert.match(
      says({ id: 'timeline.half-for-lookups', atOnce: 1, size: 1, limit: 1 }),
      /only 1 serves lookups/,
    );
  });

  test('the numbers stand beside the sentence', () => {
    assert.deepEqual(observations([waited([4, 1], [5])])[0]?.evidence, {
      waves: [4, 1],
      requests: [5],
      longestMs: 143.4,
      inferred: false,
    });
  });
});

test('waves follow from the requests that found no free thread', () => {
  const span = (request: number, startMs: number) => ({
    request,
    what: 'crypto',
    where: 'pool' as const,
    submitMs: 0,
    startMs,
    endMs: startMs + 100,
    callbackMs: startMs + 100,
    thread: 1,
    cpuMs: 100,
    inferred: false,
    queued: startMs > 0,
  });
  const spans = [span(1, 0), span(2, 0), span(3, 100), span(4, 100), span(5, 200)];
  const timings = spans.map(({ request, callbackMs }) => ({ request, startMs: 0, endMs: callbackMs }));
  const experiment = { requests: 5, wallMs: 300, timings, spans };
  assert.deepEqual(observationsOf(experiment, { size: 2, cpus: 4 }), [
    { id: 'timeline.waited', waves: [2, 2, 1], requests: [3, 4, 5], longestMs: 200, inferred: false },
  ]);
});
