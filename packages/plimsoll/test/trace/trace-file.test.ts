import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { PlimsollError, readTrace, type Trace, writeTrace } from 'plimsoll';
import { captureEnvironment } from '#plimsoll/host/environment.js';
import { traceLines } from '#plimsoll/trace/trace-file.js';
import { job, operation, request, tracedProcess } from './jobs.js';

const trace: Trace = {
  environment: captureEnvironment({ directory: '/' }),
  command: ['node', 'app.js'],
  startedAt: '2026-01-02T03:04:05.678Z',
  durationMs: 1000,
  processes: [
    tracedProcess(
      [
        job(0, { cause: 'request', operation: 0 }),
        job(2, { parent: 0, cause: 'callback', operation: 0, cpuMs: 0.5, thread: 9 }),
        job(7, { parent: 1, cause: 'timer', operation: 1 }),
      ],
      { requests: [request(0), request(1)], operations: [operation(0, 0), operation(6, 1)] },
    ),
    tracedProcess([], {
      pid: 2,
      usage: [
        {
          fromMs: 0,
          toMs: 50,
          eventLoop: { cpuMs: 1, coreWaitMs: 0 },
          pool: { cpuMs: 2, coreWaitMs: 1 },
          other: { cpuMs: 0, coreWaitMs: 0 },
          busyThreads: 3,
          blockedThreads: 2,
        },
      ],
    }),
  ],
  notes: [
    {
      id: 'trace.bound',
      pid: 1,
      count: 40,
      text: 'process 1: recording stopped after 40 events (--max-events)',
    },
  ],
};
const lines = [...traceLines(trace)].map((line) => JSON.stringify(line));
const text = `${lines.join('\n')}\n`;
const ids = ({ notes }: Trace): string[] => notes.map(({ id }) => id);

describe('a kept trace', () => {
  test('is read as it was written, from a file and from a text', () => {
    const directory = mkdtempSync(join(tmpdir(), 'plimsoll-test-'));
    const file = join(directory, 'app.trace');
    writeTrace(trace, file);
    assert.deepEqual(readTrace(file), trace);
    assert.deepEqual(readTrace(readFileSync(file, 'utf8')), trace);
    rmSync(directory, { recursive: true });
  });

  test('keeps what stands before the place where it was cut off', () => {
    const cut = readTrace(text.slice(0, text.indexOf('"parent":1,')));
    assert.equal(cut.processes[0]?.jobs.length, 2);
    assert.deepEqual(ids(cut), ['trace.truncated']);
  });

  test('jobs in another order are put in order, and keep their parents', () => {
    const [head = '', process = '', ...rest] = lines;
    const mixed = readTrace([head, ...rest.toReversed(), process].join('\n'));
    assert.deepEqual(mixed.processes[0]?.jobs, trace.processes[0]?.jobs);
    assert.ok(ids(mixed).includes('trace.unordered'));
  });

  test('requests and operations in another order are named by the same jobs', () => {
    const [head = '', process = '', ...rest] = lines;
    const mixed = readTrace([head, process, ...rest.toReversed()].join('\n'));
    assert.deepEqual(mixed.processes[0], trace.processes[0]);
    const cut = readTrace(lines.filter((line) => !/"(request|operation)",.*"id":0/.test(line)).join('\n'));
    assert.deepEqual(
      cut.processes[0]?.jobs.map((one) => one.operation),
      [null, null, 0],
    );
    assert.deepEqual(
      cut.processes[0]?.operations.map((one) => one.request),
      [0],
    );
  });

  test('a job without its parent is a root; what contradicts itself is left out', () => {
    const [head = '', process = ''] = lines;
    const [, second = '', third = ''] = lines.filter((line) => line.includes('"job"'));
    const wrong = third.replace('"endMs":8', '"endMs":6');
    assert.notEqual(wrong, third);
    const read = readTrace([head, process, second, wrong, '{"type":"job"}', 'null'].join('\n'));
    assert.deepEqual(
      read.processes[0]?.jobs.map(({ submitMs, parent }) => [submitMs, parent]),
      [[2, null]],
    );
    assert.deepEqual(ids(read).sort(), ['trace.inconsistent', 'trace.unreadable']);
  });

  const foreign: Record<string, readonly [string, RegExp]> = {
    'an empty text': ['\n\n', /empty/],
    'foreign JSON': ['{"name":"x"}', /is no trace.*begins with/s],
    'a summary': [`${JSON.stringify({ schema: 'plimsoll/1', kind: 'trace' }, null, 2)}\n`, /summary.*--out/],
    'another result': ['{"schema":"plimsoll/1","kind":"bench"}', /another command \("bench"\)/],
    'a later version': ['{"schema":"plimsoll/9","kind":"trace"}', /"plimsoll\/9"; this version reads/],
    'no JSON, but escapes': ['\u001b[31mred\n', /\\x1b|\\u001b/],
  };
  for (const [what, [source, says]] of Object.entries(foreign))
    test(`${what} is refused with a clear line`, () => {
      assert.throws(
        () => readTrace(source),
        (error) =>
          error instanceof PlimsollError && error.code === 'PLIMSOLL_BAD_TRACE' && says.test(error.message),
      );
    });

  test('a file that is not there', () => {
    assert.throws(() => readTrace('/nonexistent/x.trace'), { code: 'PLIMSOLL_BAD_TRACE', message: /ENOENT/ });
    const directory = mkdtempSync(join(tmpdir(), 'plimsoll-test-'));
    writeFileSync(join(directory, 'empty'), '');
    assert.throws(() => readTrace(join(directory, 'empty')), { message: /is empty/ });
    rmSync(directory, { recursive: true });
  });

  test('whatever happens to the text, it is refused with a code or what is read hangs together', () => {
    const place = fc.integer({ min: 0, max: text.length });
    const damage = fc.oneof(
      fc.record({ at: place, length: fc.integer({ min: 0, max: 300 }), put: fc.string({ maxLength: 20 }) }),
      fc.record({ at: place, length: fc.constant(text.length), put: fc.constant('') }),
      fc.record({
        at: place,
        length: fc.constant(1),
        put: fc.constantFrom('9', '-', 'e', '\n', '1e999', 'null'),
      }),
    );
    fc.assert(
      fc.property(fc.array(damage, { minLength: 1, maxLength: 4 }), fc.boolean(), (all, keepHead) => {
        const head = keepHead ? (lines[0]?.length ?? 0) : 0;
        const damaged = all.reduce((now, { at, length, put }) => {
          const from = Math.max(head, at);
          return now.slice(0, from) + put + now.slice(from + length);
        }, text);
        let read: Trace;
        try {
          read = readTrace(`${damaged}\n`);
        } catch (error) {
          assert.ok(error instanceof PlimsollError && error.code === 'PLIMSOLL_BAD_TRACE', String(error));
          return;
        }
        for (const { jobs, startMs, endMs } of read.processes) {
          assert.ok(startMs <= endMs);
          for (const [index, one] of jobs.entries()) {
            assert.ok(one.submitMs <= one.startMs && one.startMs <= one.endMs && one.endMs <= one.callbackMs);
            assert.ok(Number.isFinite(one.callbackMs));
            assert.ok(one.parent === null || one.parent < index);
            assert.ok((jobs[index - 1]?.submitMs ?? 0) <= one.submitMs);
          }
        }
      }),
      { numRuns: 500 },
    );
  });
});
