import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { captureEnvironment } from '@plimsoll/lab';
import { pageOf } from '#studies/common/page.js';
import type { StudyResult } from '#studies/common/result.js';
import { fleet } from '#studies/fleet/study.js';
// @ts-expect-error a script without declarations
import { findRedis } from '../../scripts/redis.mjs';
import { published, ROOT, study } from './support.js';
import { turnsOf } from './turns.js';

const directory = mkdtempSync(join(tmpdir(), 'plimsoll-fleet-study-'));
after(() => rmSync(directory, { recursive: true, force: true }));

type Figures = Readonly<Record<string, number>>;

/** Six generations that differ a little, of these figures for each contender. */
function made(of: (condition: string, contender: string) => Figures, cpus: number): StudyResult {
  const environment = captureEnvironment({ directory: ROOT });
  return {
    ...{ schema: 'plimsoll/1', kind: 'study', name: 'fleet', effort: 'full', seconds: 9, seed: 1 },
    startedAt: '2026-01-01T00:00:00.000Z',
    environment: { ...environment, cpu: { ...environment.cpu, effectiveCpus: cpus } },
    versions: { Redis: '7.0.15' },
    conditions: fleet.conditions('full').map((condition) => ({
      ...condition,
      ...turnsOf(
        Array.from({ length: 6 }, (_, generation) =>
          Object.fromEntries(
            [...condition.contenders.map(({ id }) => id), 'twin'].map((id) => [
              id,
              Object.fromEntries(
                Object.entries(of(condition.id, id === 'twin' ? condition.baseline : id)).map(
                  ([name, value]) => [name, [value * (1 + generation / 1000), value]],
                ),
              ),
            ]),
          ),
        ),
      ),
    })),
  };
}

const RATES: Figures = { 'fleet-1': 1000, 'fleet-2': 1950, 'fleet-4': 3800, 'fleet-8': 4800 };
const micros = { redis: 150, host: 100, workers: 150 };

function figures(condition: string, contender: string): Figures {
  if (condition === 'latency') return { p50: contender === 'embedded' ? 50 : 1000, p99: 2000 };
  if (contender === 'embedded') return { rate: 100_000, redis: 0, host: 10, workers: 0 };
  return { rate: RATES[contender] ?? 2000, ...micros };
}

describe('study fleet', () => {
  const { skip }: { skip: string | false } = {
    skip: findRedis() === null && 'there is no redis-server on this machine',
  };

  test('it runs, every figure that it promises is there, and its page is written', { skip }, async () => {
    const { code, stdout, stderr } = await study('fleet', '--quick', '--out', directory);
    assert.equal(code, 0, `${stdout}\n${stderr}`);
    const result = JSON.parse(readFileSync(join(directory, 'fleet.json'), 'utf8')) as StudyResult;
    const planned = fleet.conditions('quick');
    assert.deepEqual(
      result.conditions.map(({ id, lost, failure }) => [id, lost, failure]),
      planned.map(({ id }) => [id, [], null]),
    );
    for (const [index, { generations }] of result.conditions.entries())
      for (const generation of generations)
        for (const { id } of planned[index]?.contenders ?? [])
          for (const metric of planned[index]?.metrics ?? [])
            assert.ok(generation[id]?.[metric.id]?.every(Number.isFinite), `${id}: ${metric.id}`);
    const nothing = result.conditions[0]?.generations[0];
    // Redis and the workers are seen, and a pool has neither.
    for (const part of ['redis', 'host', 'workers'])
      assert.ok((nothing?.['fleet-1']?.[part]?.[0] ?? 0) > 0, part);
    assert.deepEqual([nothing?.embedded?.redis?.[0], nothing?.embedded?.workers?.[0]], [0, 0]);
    assert.match(result.versions.Redis ?? '', /^\d+\.\d+/);
    const page = readFileSync(join(directory, 'fleet.md'), 'utf8');
    assert.doesNotMatch(page, /undefined|NaN|\[object/);
  });

  test('what limits growth is what the figures say', () => {
    const wait = (cpus: number, of = figures): string => pageOf(fleet, made(of, cpus));
    const few = wait(2);
    assert.match(
      few,
      /^Within 10 % of linear up to 4 worker processes\. With 8 worker processes it is 60 % of linear;/m,
    );
    assert.match(
      few,
      /60 % of linear; the limit is the CPUs of the machine: 1\.92 of 2 CPUs are in use, 0\.72 by Redis/,
    );
    assert.match(wait(16), /60 % of linear; nothing is at its limit: 1\.92 of 16 CPUs/);
    const heavy = (condition: string, contender: string): Figures => ({
      ...figures(condition, contender),
      ...(condition === 'latency' ? {} : { redis: 190 }),
    });
    assert.match(wait(16, heavy), /60 % of linear; the limit is Redis \(0\.91 cores\)/);
    const linear = (condition: string, contender: string): Figures =>
      contender === 'fleet-8' ? { rate: 7900, ...micros } : figures(condition, contender);
    assert.match(
      wait(4, linear),
      /^Within 10 % of linear up to 8 worker processes\. With 8 worker processes, the limit/m,
    );
  });

  test('it says who is faster', () => {
    const page = pageOf(fleet, made(figures, 2));
    assert.match(
      page,
      /^- An empty task: a number, 1 worker process: the fleet is slower, 1,00\d tasks\/s to 2,00\d tasks\/s: fleet \/ by hand 0\.500/m,
    );
    assert.match(page, /embedded \/ fleet 100 \[100, 100\] ×\.$/m);
    assert.match(
      page,
      /^- a pool of one thread in the same process: 0\.05 ms \(p50\), 2\.00 ms \(p99\); embedded \/ fleet 0\.050/m,
    );
    assert.match(page, /^\| An empty task: a number \| 1,00\d \[.*\| 1,95\d \[.*\| 3,80\d \[/m);
    assert.doesNotMatch(page, /undefined|NaN|\[object/);
  });

  test('the published page is what the published result says', () => {
    const result = JSON.parse(published('fleet.json')) as StudyResult;
    assert.equal(pageOf(fleet, result), published('fleet.md'));
  });
});
