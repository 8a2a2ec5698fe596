import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { type TracedJob, type TracedProgram, trace } from 'plimsoll';
import { pprof, speedscope } from '#plimsoll/report/flame.js';
import { reportPage } from '#plimsoll/report/html/page.js';
import { timedJobs } from '#plimsoll/trace/budget.js';
import { blockingOf, poolUse, siteOf, waitsOf } from '#plimsoll/trace/waits.js';
import { job, tracedProcess } from './jobs.js';

const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);
const near = (a: number, b: number): void => assert.ok(Math.abs(a - b) <= 0.02 * b, `${a}, not ${b}`);

test('the wait of a job is shared out among those that have the threads', () => {
  const jobs = [
    job(0, { kind: 'zlib', endMs: 10 }),
    job(0, { kind: 'scrypt', endMs: 20 }),
    job(5, { startMs: 10, endMs: 15, callbackMs: 15 }),
    job(6, { kind: 'late', startMs: 15, endMs: 16, callbackMs: 18 }),
  ];
  const process = tracedProcess(jobs);
  const waits = waitsOf(timedJobs(process), [poolUse(jobs, 2)]);
  const ms = (kind: string, behind: string): number | undefined =>
    waits.find((wait) => wait.kind === kind && wait.behind?.kind === behind)?.ms;
  assert.deepEqual([ms('crypto', 'zlib'), ms('crypto', 'scrypt')], [2.5, 2.5]);
  assert.deepEqual([ms('late', 'zlib'), ms('late', 'crypto'), ms('late', 'scrypt')], [2, 2.5, 4.5]);
});

describe('what a wait falls by if another call takes no time', () => {
  /** The total of the wait, and the fall, of calls of a kind behind those of another. */
  const fallOf = (jobs: readonly TracedJob[], threads: number, kind: string, behind: string): number[] => {
    const uses = [poolUse(jobs, threads)];
    const found = blockingOf(uses, waitsOf(timedJobs(tracedProcess(jobs)), uses));
    const pair = found.find(({ victim, blocker }) => victim.kind === kind && blocker.kind === behind);
    return pair === undefined ? [] : [pair.waitMs, pair.fallsByMs];
  };

  test('all of it, for either of two calls that only together take all threads', () => {
    const jobs = [job(0, { kind: 'zlib', endMs: 10 }), job(0, { kind: 'scrypt', endMs: 10 })];
    const all = [...jobs, job(5, { startMs: 10, endMs: 11 })];
    for (const behind of ['zlib', 'scrypt']) assert.deepEqual(fallOf(all, 2, 'crypto', behind), [5, 5]);
  });

  test('by what a call had delayed those that had the threads', () => {
    const jobs = [
      job(0, { kind: 'zlib', endMs: 10 }),
      job(1, { kind: 'scrypt', startMs: 10, endMs: 20 }),
      job(12, { startMs: 20, endMs: 21 }),
    ];
    assert.deepEqual(fallOf(jobs, 1, 'crypto', 'zlib'), [8, 8]);
    assert.deepEqual(fallOf(jobs, 1, 'scrypt', 'zlib'), [9, 9]);
  });

  test('not by what another call that stays goes on to hold', () => {
    const jobs = [
      job(0, { kind: 'zlib', endMs: 10 }),
      job(0, { kind: 'scrypt', startMs: 10, endMs: 30 }),
      job(1, { startMs: 30, endMs: 31 }),
    ];
    assert.deepEqual(fallOf(jobs, 1, 'crypto', 'zlib'), [29, 10]);
    assert.deepEqual(fallOf(jobs, 1, 'crypto', 'scrypt'), [29, 20]);
  });

  test('for lookups, which have half of the threads, by what other lookups hold', () => {
    const lookup = { kind: 'dns.lookup', slowIo: true };
    const jobs = [
      job(0, { kind: 'dns.lookupService', slowIo: true, endMs: 10 }),
      job(0, { kind: 'zlib', endMs: 40 }),
      job(1, { ...lookup, startMs: 10, endMs: 30 }),
      job(2, { ...lookup, startMs: 30, endMs: 31 }),
    ];
    assert.deepEqual(fallOf(jobs, 2, 'dns.lookup', 'dns.lookupService'), [37, 18]);
    assert.deepEqual(fallOf(jobs, 2, 'dns.lookup', 'zlib'), []);
  });

  test('with a thread held from when it took the job, which may wait for a core before it starts', () => {
    const jobs = [
      job(0, { kind: 'zlib', endMs: 10 }),
      job(1, { kind: 'scrypt', startMs: 14, endMs: 20 }),
      job(2, { startMs: 20, endMs: 21 }),
    ];
    assert.deepEqual(fallOf(jobs, 1, 'crypto', 'scrypt'), [18, 10]);
    assert.deepEqual(fallOf(jobs, 1, 'crypto', 'zlib'), [18, 9]);
  });

  test('by no more than the wait, where an end that is not known seems to be late', () => {
    const jobs = [job(0, { kind: 'zlib', endMs: 10 }), job(1, { startMs: 2, endMs: 3 })];
    assert.deepEqual(fallOf(jobs, 1, 'crypto', 'zlib'), [1, 1]);
  });
});

describe('an app of three routes', { skip: process.platform !== 'linux' }, () => {
  const server = fileURLToPath(new URL('../../../../examples/waiting/server.mjs', import.meta.url));
  const recorded = trace({ command: [process.execPath, server, '4'], calls: true, stdout: 'nowhere' });
  const programOf = async (): Promise<TracedProgram> => (await recorded).summary.programs[0] as TracedProgram;

  test('the widths are the measured waits', async () => {
    const { waits } = await programOf();
    const [traced] = (await recorded).trace.processes;
    assert.ok(traced !== undefined);
    const parts = timedJobs(traced).map((timed) => timed.parts);
    near(
      sum(waits.filter(({ cause }) => cause === 'thread').map(({ ms }) => ms)),
      sum(parts.map(({ queueWaitMs }) => queueWaitMs)),
    );
    near(sum(waits.map(({ ms }) => ms)), sum(parts.map(({ totalMs, cpuMs }) => totalMs - cpuMs)));
  });

  test('what logging in waits for is the line that packs the export', async () => {
    const { waits } = await programOf();
    const login = waits.filter(({ request, cause }) => request === 'GET /login' && cause === 'thread');
    const guilty = login.filter(({ behind }) => behind?.request === 'GET /export' && behind.kind === 'zlib');
    assert.ok(sum(guilty.map(({ ms }) => ms)) > 0.5 * sum(login.map(({ ms }) => ms)));
    const frame = guilty[0]?.behind?.frame;
    assert.match(`${frame?.file}:${frame?.line}`, /export\.mjs:8$/);
    const site = siteOf(login[0] as (typeof login)[number]);
    assert.match(`${site.frame?.name} ${site.frame?.file}`, /^login .*server\.mjs$/);
  });

  test('speedscope, pprof and the page have it', async () => {
    const { summary } = await recorded;
    const { profiles, shared } = JSON.parse(speedscope(summary)) as {
      profiles: { weights: number[]; endValue: number; samples: number[][] }[];
      shared: { frames: unknown[] };
    };
    near(sum(profiles[0]?.weights ?? []), profiles[0]?.endValue ?? 0);
    assert.ok(profiles[0]?.samples.flat().every((frame) => shared.frames[frame] !== undefined));
    const bytes = gunzipSync(pprof(summary)).toString('latin1');
    for (const text of ['nanoseconds', 'GET /login', 'waiting for a pool thread'])
      assert.ok(bytes.includes(text), text);
    assert.match(reportPage([summary]), /<title>behind zlib of GET \/export/);
  });
});
