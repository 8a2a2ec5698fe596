import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  plainStyle,
  reportText,
  type Trace,
  type TracedJob,
  type TracedProcess,
  type TracedProgram,
  traceSummarySchema,
  type UsageInterval,
} from 'plimsoll';
import { summarise } from '#plimsoll/api/trace.js';
import { captureEnvironment } from '#plimsoll/host/environment.js';
import { job, tracedProcess } from './jobs.js';

const captured = captureEnvironment({ directory: '/' });
const environment = { ...captured, cpu: { ...captured.cpu, effectiveCpus: 2 } };

const traceOf = (processes: readonly TracedProcess[], rest: Partial<Trace> = {}): Trace => ({
  environment,
  command: 'node',
  startedAt: '2026-01-02T03:04:05.678Z',
  durationMs: 1000,
  processes,
  notes: [],
  ending: 'ended',
  ...rest,
});

/** One interval over all of it: CPU of the loop and of the pool, and what pool threads waited for a core. */
const usage = (loop: number, pool: number, waited: number): UsageInterval[] => [
  {
    fromMs: 0,
    toMs: 1000,
    blockedThreads: null,
    other: { cpuMs: 0, coreWaitMs: 0 },
    eventLoop: { cpuMs: loop, coreWaitMs: 0 },
    pool: { cpuMs: pool, coreWaitMs: waited },
  },
];

/** Eight jobs at once that each take 100 ms of a thread, of which `cpu` on a core; `late` ms until the loop takes them. */
const eight = (threads: number, cpu: number, late = 0, rest: Partial<TracedJob> = {}): TracedJob[] =>
  Array.from({ length: 8 }, (_, index) => {
    const startMs = 100 * Math.floor(index / threads);
    const endMs = startMs + 100;
    return job(0, { startMs, endMs, callbackMs: endMs + late, cpuMs: cpu, queued: startMs > 0, ...rest });
  });

const programOf = (process: Partial<TracedProcess>): TracedProgram =>
  summarise(traceOf([tracedProcess([], process)])).programs[0] as TracedProgram;

describe('what to do follows from the largest wait', () => {
  const cases: Record<string, readonly [Partial<TracedProcess>, string, RegExp]> = {
    'jobs queue while cores are free': [
      { jobs: eight(4, 5), usage: usage(10, 40, 0) },
      'trace.more-threads',
      /33 % of the time from submission to callback \(mean 50\.0 ms\) while 0\.1 of 2 cores were busy/,
    ],
    'lookups queue': [
      { jobs: eight(2, 5, 0, { kind: 'dns.lookup', slowIo: true }), usage: usage(10, 40, 0) },
      'trace.more-threads',
      /half of the pool serves lookups \(dns\.lookup\)/,
    ],
    'jobs queue while all cores are busy': [
      { jobs: eight(2, 100), usage: usage(900, 1000, 0) },
      'trace.more-cores',
      /1\.9 of 2 cores were busy/,
    ],
    'jobs queue behind jobs that wait for a core': [
      { jobs: eight(2, 60), usage: usage(10, 480, 320) },
      'trace.more-cores',
      /jobs on a thread spent 40 % of their time there waiting for a core/,
    ],
    'jobs wait for a core': [
      { jobs: eight(8, 50), usage: usage(10, 400, 400), observedThreads: 8 },
      'trace.more-cores',
      /waited for a core for 50 %/,
    ],
    'a busy loop takes results late': [
      { jobs: eight(8, 100, 100), usage: usage(950, 40, 0) },
      'trace.event-loop-busy',
      /waited for the event loop for 50 %.*95 % of a core/,
    ],
    'an idle loop takes results late': [
      { jobs: eight(8, 100, 100), usage: usage(100, 40, 0) },
      'trace.event-loop-delay',
      /single long callbacks/,
    ],
    'work on the CPU': [{ jobs: eight(8, 100), usage: usage(10, 800, 0) }, 'trace.nothing', /on CPU/],
    'blocked work': [{ jobs: eight(8, 1), usage: usage(10, 8, 0) }, 'trace.nothing', /waiting for a disk/],
    'no job': [{ jobs: [], endMs: 30_000 }, 'trace.unused', /never used the pool in 30\.0 s/],
  };
  for (const [what, [process, id, says]] of Object.entries(cases))
    test(`${what}: ${id}`, () => {
      const { advice } = programOf(process);
      assert.equal(advice.id, id, advice.text);
      assert.match(advice.text, says);
    });

  test('of a process that could not be looked into nothing is said', () => {
    const notes = [{ id: 'trace.inspector', pid: 1 }];
    const [program] = summarise(traceOf([tracedProcess([])], { notes })).programs;
    assert.equal(program?.advice.id, 'trace.unseen');
  });
});

test('processes of one script are one program; the one with most time in its pool comes first', () => {
  const { programs, ...rest } = summarise(
    traceOf([
      tracedProcess([job(0)], { script: 'npm-cli.js', observedThreads: 4 }),
      tracedProcess(eight(4, 5), { pid: 2 }),
      tracedProcess(eight(4, 5), { pid: 3 }),
    ]),
  );
  assert.deepEqual(
    programs.map(({ script, pids, jobs, saturatedMs, utilization }) => [
      script,
      pids,
      jobs,
      saturatedMs,
      utilization,
    ]),
    [
      ['app.js', [2, 3], 16, 400, 1],
      ['npm-cli.js', [1], 1, 0, 0.25],
    ],
  );
  traceSummarySchema.parse({ programs, ...rest });
});

test('the report fits its width and nothing of the app steers the terminal', () => {
  const summary = summarise(
    traceOf([tracedProcess(eight(4, 5, 1, { kind: 'n\u001b[31mapi' }), { script: 'a\u0007b.js' })], {
      command: '\u001b]0;x\u0007',
      notes: [{ id: 'trace.inspector', detail: 'a long note '.repeat(20).trim() }],
    }),
  );
  const report = reportText(summary, plainStyle(80));
  const control = [...report].filter((character) => /\p{Cc}/u.test(character) && character !== '\n');
  assert.deepEqual(control, []);
  for (const line of report.split('\n')) assert.ok([...line].length <= 80, line);
  assert.match(report, /4 pool threads, counted/);
});
