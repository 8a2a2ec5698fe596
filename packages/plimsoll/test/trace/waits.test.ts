import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { type TracedProgram, trace } from 'plimsoll';
import { pprof, speedscope } from '#plimsoll/report/flame.js';
import { reportPage } from '#plimsoll/report/html/page.js';
import { timedJobs } from '#plimsoll/trace/budget.js';
import { poolUse, siteOf, waitsOf } from '#plimsoll/trace/waits.js';
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
