import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { partsOf } from '#plimsoll/trace/budget.js';
import type { RecordedLine } from '#plimsoll/trace/child/lines.cjs';
import { poolUse } from '#plimsoll/trace/pool-use.js';
import { type ProcessLog, parseProcessLogs } from '#plimsoll/trace/process-log.js';
import { reduce } from '#plimsoll/trace/reduce.js';
import { eventsLine, job, type ShortEvent } from './jobs.js';

const MAIN = 100;
const THREADS = 2;
/** Microseconds. */
const SAMPLE = 5000;
const WEIGHT = 4;
const PERIOD = SAMPLE * WEIGHT;
const LENGTH = 10 * PERIOD;
const PHASES = Array.from({ length: WEIGHT }, (_, index) => (index + 1) * SAMPLE);

interface Arrival {
  readonly at: number;
  readonly service: number;
  readonly name: 'crypto' | 'zlib' | 'stat';
}

/**
 * The events of a pool that serves these jobs in their order, for an event loop that takes each result at once. Times are
 * odd; those of windows are even.
 */
function eventsOf(arrivals: readonly Arrival[]): ShortEvent[] {
  const free = Array<number>(THREADS).fill(0);
  const events = arrivals
    .toSorted((a, b) => a.at - b.at)
    .flatMap(({ at, service, name }, index): ShortEvent[] => {
      const isFile = name === 'stat';
      const thread = free.indexOf(Math.min(...free));
      const submitted = 2 * at + 1;
      const started = Math.max(submitted, free[thread] as number);
      const ended = started + 2 * service;
      free[thread] = ended;
      const outer = isFile ? 'f' : 'w';
      const id = `${index}`;
      const run: ShortEvent[] = [
        ['B', 'r', name, 200 + thread, started, 0, null, null],
        ['E', 'r', name, 200 + thread, ended, service, null, null],
      ];
      return [
        ['b', outer, name, MAIN, submitted, null, id, null],
        ...(isFile ? [] : run),
        ['e', outer, name, MAIN, ended, null, id, 0],
      ];
    });
  return events
    .map((event, order) => ({ event, order }))
    .sort((a, b) => a.event[4] - b.event[4] || a.order - b.order)
    .map(({ event }) => event);
}

/** The lines of a recorder: all events, or those of windows, the first of which begins at `phase`. */
function recorded(events: readonly ShortEvent[], phase: number | null): ProcessLog {
  const last = events.at(-1)?.[4] ?? 0;
  const lines: RecordedLine[] = phase === null ? [] : [{ type: 'pause', at: 0 }];
  const returns = new Map(events.flatMap(([ph, , , , ts, , id]) => (ph === 'e' ? [[id, ts]] : [])));
  let traced = phase === null ? [...events] : [];
  for (let from = phase ?? last + 1; from <= last; from += PERIOD) {
    const to = from + SAMPLE;
    const mine = events.filter(([ph, , , , ts]) => ph === 'b' && ts < to);
    const drained = mine.reduce((end, { 6: id }) => Math.max(end, (returns.get(id) ?? 0) + 1), to);
    const until = Math.min(drained, from + PERIOD);
    traced = [...traced, ...events.filter(([, , , , ts]) => ts >= from && ts < until)];
    lines.push({ type: 'window', from, to, weight: WEIGHT });
    if (drained < from + PERIOD) lines.push({ type: 'pause', at: drained });
  }
  const node = { node: '20.20.2', libuv: '1.46.0', script: 'app.js', sizeText: `${THREADS}` };
  const text = [
    { type: 'process', at: 0, pid: MAIN, ...node },
    eventsLine(traced),
    ...lines,
    { type: 'end', at: last + PERIOD },
  ].map((line) => `${JSON.stringify(line)}\n`);
  return parseProcessLogs(text.join(''))[0] as ProcessLog;
}

/** What a report adds up, by kind; the wait behind each kind is known where no job is inferred. */
function sumsOf(log: ProcessLog, withHolders: boolean): Map<string, number> {
  const { process, notes } = reduce(log, 0);
  assert.deepEqual(notes, []);
  const sums = new Map<string, number>();
  const add = (name: string, ms: number): void => void sums.set(name, (sums.get(name) ?? 0) + ms);
  const parts = partsOf(process);
  for (const [index, { kind, weight }] of process.jobs.entries()) {
    add(`jobs of ${kind}`, weight);
    for (const [part, ms] of Object.entries(parts[index] ?? {})) add(`${part} of ${kind}`, weight * ms);
  }
  if (!withHolders) return sums;
  for (const [victim, holders] of poolUse(process.jobs, THREADS, process.windows).behind)
    for (const [holder, ms] of holders) add(`${victim.kind} behind ${holder?.kind}`, ms);
  return sums;
}

const arrivals = (...names: Arrival['name'][]): fc.Arbitrary<Arrival[]> =>
  fc.array(
    fc.record({
      at: fc.integer({ min: SAMPLE, max: LENGTH / 2 }),
      service: fc.integer({ min: 1, max: 6000 }),
      name: fc.constantFrom(...names),
    }),
    { minLength: 1, maxLength: 60 },
  );

/** Over all positions of the windows together each job is in exactly one, so the mean must be exact. */
function assertUnbiased(jobs: readonly Arrival[], withHolders: boolean): void {
  const events = eventsOf(jobs);
  const full = sumsOf(recorded(events, null), withHolders);
  const sampled = PHASES.map((phase) => sumsOf(recorded(events, phase), withHolders));
  for (const name of new Set([...full.keys(), ...sampled.flatMap((sums) => [...sums.keys()])])) {
    const mean = sampled.reduce((sum, sums) => sum + (sums.get(name) ?? 0), 0) / PHASES.length;
    const real = full.get(name) ?? 0;
    assert.ok(Math.abs(mean - real) < 1e-6 * Math.max(1, real), `${name}: ${mean}, not ${real}`);
  }
}

describe('samples have the sums of the full recording, over all positions of the windows', () => {
  test('of jobs whose runs are known, with the jobs behind which they waited', () => {
    fc.assert(fc.property(arrivals('crypto', 'zlib'), (jobs) => assertUnbiased(jobs, true)));
  });

  test('of jobs that are inferred, beside known ones', () => {
    fc.assert(fc.property(arrivals('stat', 'crypto'), (jobs) => assertUnbiased(jobs, false)));
  });
});

test('shares of time are those of the windows', () => {
  const jobs = [job(10, { startMs: 20, endMs: 40 }), job(12, { endMs: 40, callbackMs: 40, weight: 0 })];
  const windows = [{ fromMs: 10, toMs: 20, weight: 2 }];
  const { activeMs, saturatedMs, queuedMs, takenMs } = poolUse(jobs, 1, windows);
  assert.deepEqual([activeMs, saturatedMs, queuedMs, takenMs], [30, 24, 30, 24]);
});
