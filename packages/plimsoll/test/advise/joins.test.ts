import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { joinsOf } from '#plimsoll/advise/joins.js';
import type { TracedJob, TracedOperation, TracedRequest } from '#plimsoll/results/trace.js';

/** An operation of one job: its name, when it began and ended, and the place of the one that released it. */
type Call = readonly [name: string, fromMs: number, toMs: number, parent: number | null];

function joins(requests: readonly (readonly Call[])[]): [number, number[]][] {
  const jobs: TracedJob[] = [];
  const operations: TracedOperation[] = [];
  const own: number[][] = [];
  for (const [request, calls] of requests.entries()) {
    const first = jobs.length;
    own.push(calls.map((_, index) => first + index));
    for (const [name, submitMs, callbackMs, parent] of calls) {
      operations.push({ name, request, loopThread: 1, startMs: submitMs, endMs: callbackMs });
      jobs.push({
        kind: 'addon',
        slowIo: false,
        loopThread: 1,
        submitMs,
        startMs: submitMs,
        endMs: callbackMs,
        callbackMs,
        cpuMs: 0,
        thread: null,
        inferred: false,
        queued: false,
        parent: parent === null ? null : first + parent,
        cause: parent === null ? 'request' : 'callback',
        operation: jobs.length,
      });
    }
  }
  const asked = requests.map(
    (): TracedRequest => ({
      kind: 'http',
      route: 'GET /',
      connection: null,
      loopThread: 1,
      startMs: 0,
      endMs: 100,
      end: 'answered',
      sampled: true,
    }),
  );
  return [...joinsOf(jobs, operations, asked, own)];
}

describe('what an operation waits for besides the one that released it', () => {
  /** Promise.all of a and b, then c. */
  const all: readonly Call[] = [
    ['a', 0, 10, null],
    ['b', 0, 20, null],
    ['c', 20, 30, 1],
  ];

  test('others that were complete and led to nothing else', () => {
    assert.deepEqual(joins([all]), [[2, [0]]]);
  });

  test('not those from which something else followed', () => {
    const calls: readonly Call[] = [
      ['a', 0, 10, null],
      ['b', 0, 20, null],
      ['d', 10, 12, 0],
      ['c', 20, 30, 1],
    ];
    assert.deepEqual(joins([calls]), [[3, [2]]]);
  });

  test('not what it overlapped in another request of the route: then they are chains side by side', () => {
    const slow: readonly Call[] = [
      ['a', 0, 25, null],
      ['b', 0, 20, null],
      ['c', 20, 30, 1],
    ];
    assert.deepEqual(joins([all, slow]), []);
  });

  test('what the arrival itself released waits for nothing', () => {
    assert.deepEqual(
      joins([
        [
          ['a', 0, 10, null],
          ['b', 12, 20, null],
        ],
      ]),
      [],
    );
  });
});
