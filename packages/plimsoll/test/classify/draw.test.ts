import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { type Span, type TimelineExperiment, timeline, timelineSchema } from 'plimsoll';
import { buildAddon, cannotBuildAddon } from '../support/addon.js';
import { fixture } from '../support/cli.js';

const target = (exportName: string, file = fixture('draw.mjs')): string => `${file}#${exportName}`;

const ids = ({ observations }: TimelineExperiment): string[] => observations.map(({ id }) => id);
const text = ({ observations }: TimelineExperiment, id: string): string =>
  observations.find((one) => one.id === id)?.text ?? '';
const total = <T>(items: readonly T[], of: (item: T) => number): number =>
  items.reduce((sum, item) => sum + of(item), 0);
const onPool = ({ spans }: TimelineExperiment): Span[] => spans.filter(({ where }) => where === 'pool');

describe('timeline', () => {
  const draw = async (operation: string, requests: number, size = 4): Promise<TimelineExperiment> => {
    const result = await timeline({ operation, requests: [requests], size, deadlineMs: 120_000 });
    timelineSchema.parse(result);
    assert.ok(result.observedThreads === size || result.observedThreads === null);
    const [experiment] = result.experiments;
    assert.ok(experiment !== undefined);
    assert.equal(experiment.requests, requests);
    return experiment;
  };

  for (const size of [1, 2, 4, 6])
    test(`the staircase of 6 requests on ${size} pool threads`, async () => {
      const experiment = await draw(target('hash'), 6, size);
      const spans = onPool(experiment);
      assert.deepEqual(
        spans.map(({ request }) => request),
        [1, 2, 3, 4, 5, 6],
      );
      assert.deepEqual(
        spans.filter(({ queued }) => queued).map(({ request }) => request),
        [1, 2, 3, 4, 5, 6].filter((request) => request > size),
      );
      for (const span of spans) {
        const { submitMs, startMs, endMs, callbackMs, thread, inferred, request } = span;
        assert.ok(submitMs <= startMs && startMs < endMs && endMs <= callbackMs, `request ${request}`);
        assert.equal(inferred, false);
        const sameThread = spans.filter((other) => other !== span && other.thread === thread);
        for (const other of sameThread)
          assert.ok(other.endMs <= startMs || endMs <= other.startMs, 'a thread does one job at a time');
        if (request > size)
          assert.ok(
            spans.some((other) => other.endMs <= startMs),
            `request ${request} started when none had ended`,
          );
      }
      // The k-th start needs k - size ends. By time, not by request: of two threads that take jobs at the same moment,
      // the one with the earlier job may be the later one to say so.
      for (const [index, start] of spans
        .map(({ startMs }) => startMs)
        .sort((a, b) => a - b)
        .entries())
        assert.ok(
          spans.filter(({ endMs }) => endMs <= start).length >= index + 1 - size,
          `start ${index + 1}`,
        );
      assert.equal(new Set(spans.map(({ thread }) => thread)).size, size);
      if (size === 6) assert.equal(text(experiment, 'timeline.waited'), '');
      else
        assert.match(
          text(experiment, 'timeline.waited'),
          { 1: /^1 \+ 1/, 2: /^2 \+ 2 \+ 2: /, 4: /^4 \+ 2: / }[size] as RegExp,
        );
      if (size === 4) assert.match(text(experiment, 'timeline.waited'), /4 \+ 2: 2 requests waited/);
    });

  test('CPU time is told from running time: many threads on few cores', {
    skip: process.platform !== 'linux',
  }, async () => {
    const experiment = await draw(target('hash'), 4, 4);
    for (const { cpuMs, startMs, endMs } of onPool(experiment)) {
      assert.ok(cpuMs !== null && cpuMs > 0);
      // The clocks are two, and each is cut to microseconds.
      assert.ok(cpuMs <= endMs - startMs + 1, `${cpuMs} ms of CPU in ${endMs - startMs} ms`);
    }
  });

  test('pbkdf2Sync: one after the other on the main thread', async () => {
    const experiment = await draw('pbkdf2-sync', 2);
    assert.deepEqual(onPool(experiment), []);
    const [first, second] = experiment.timings;
    assert.ok((second?.startMs ?? 0) >= (first?.endMs ?? Number.POSITIVE_INFINITY));
    assert.deepEqual(ids(experiment), ['timeline.main-thread']);
  });

  test('an async function that only computes: the others wait for the event loop', async () => {
    const experiment = await draw(target('burn'), 2);
    const waiting = experiment.spans.find(({ what }) => what === 'event loop');
    assert.equal(waiting?.request, 1);
    // A crowded machine may hold it up between its end and the next turn: a wait of unknown cause.
    const certain = ids(experiment).filter((id) => id !== 'timeline.no-pool');
    assert.deepEqual(certain, ['timeline.main-thread']);
  });

  test('http: all in parallel, no pool thread', async () => {
    const experiment = await draw('http', 6);
    assert.deepEqual(onPool(experiment), []);
    assert.match(text(experiment, 'timeline.no-pool'), /^up to \d ran at once; no pool thread was used/);
    assert.ok(experiment.wallMs >= 100, 'the server takes 100 ms');
  });

  test('resolve waits for a socket; lookup for a thread that is inferred', async () => {
    const resolve = await draw('resolve', 6);
    assert.deepEqual(onPool(resolve), []);
    const lookup = await draw('lookup', 6);
    assert.equal(onPool(lookup).length, 6);
    assert.ok(
      onPool(lookup).every(({ inferred, thread, what }) => inferred && thread === null && what === 'lookup'),
    );
    assert.ok(ids(lookup).includes('timeline.half-for-lookups'));
  });

  for (const name of ['readFile', 'gzip', 'randomBytes'] as const)
    test(`${name}: every request has its jobs on the pool`, async () => {
      const experiment = await draw(name, 3);
      for (const request of [1, 2, 3])
        assert.ok(
          onPool(experiment).some((span) => span.request === request),
          `request ${request}`,
        );
      // Some milliseconds of a request may be unknown: the event loop's thread lost its core while it took the result.
      const unknown = experiment.spans.filter(({ what }) => what === 'unknown');
      assert.ok(
        total(unknown, ({ submitMs, callbackMs }) => callbackMs - submitMs) <
          total(experiment.timings, ({ startMs, endMs }) => (endMs - startMs) / 2),
      );
      if (name !== 'readFile') assert.ok(onPool(experiment).every(({ inferred }) => !inferred));
    });

  test('the true parts of an N-API add-on’s jobs', { skip: cannotBuildAddon() }, async () => {
    const directory = mkdtempSync(join(tmpdir(), 'plimsoll-addon-'));
    try {
      const module = join(directory, 'addon.cjs');
      writeFileSync(module, `module.exports = require(${JSON.stringify(buildAddon(directory))});`);
      const experiment = await draw(target('inPool', module), 3);
      assert.equal(onPool(experiment).length, 3);
      assert.ok(onPool(experiment).every(({ thread, inferred }) => thread !== null && !inferred));
    } finally {
      rmSync(directory, { recursive: true });
    }
  });
});
