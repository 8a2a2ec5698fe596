import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import fc from 'fast-check';
import {
  type BenchResult,
  type Comparison,
  compare,
  comparisonSchema,
  plainStyle,
  reportMarkdown,
  reportText,
} from 'plimsoll';
import { createRandom } from '#plimsoll/stats/random.js';
import { bench, environment, generations, type Times, workload } from './planted.js';

const STEADY = [100, 101, 99, 100, 101, 99];
const scaled = (factor: number): number[] => STEADY.map((ms) => ms * factor);
const one = (factor: number, name = 'crypto'): BenchResult =>
  bench([workload(name, new Map([[4, generations(scaled(factor))]]))]);
const both = (four: Times, eight = four): Map<number, Times> => new Map([[4, four]]).set(8, eight);
const ids = ({ findings }: Comparison): string[] => findings.map(({ id }) => id);

describe('a comparison of two results', () => {
  test('better, same and worse beyond 3 %, and what cannot be told in between', () => {
    const verdict = (factor: number): string => compare(one(1), one(factor)).verdict;
    assert.deepEqual([0.8, 1, 1.005, 1.1].map(verdict), ['better', 'same', 'same', 'worse']);
    const [row] = compare(one(1), one(1.1)).rows;
    assert.ok(
      Math.abs((row?.ratio ?? 0) - 1.1) < 1e-9 && (row?.interval?.[0] ?? 0) > 1.05,
      JSON.stringify(row),
    );
    assert.ok(Math.abs((row?.oldMs ?? 0) - 100) < 0.1 && Math.abs((row?.newMs ?? 0) - 110) < 0.1);
  });

  test('one worse row among many is worse, whatever the others are', () => {
    const suite = (last: number): BenchResult =>
      bench(
        ['a', 'b', 'c'].map((name, index) =>
          workload(name, new Map([[4, generations(scaled(index === 2 ? last : 1 - index / 4))]])),
        ),
      );
    assert.equal(compare(suite(1), suite(1.2)).verdict, 'worse');
    assert.equal(compare(suite(1), suite(0.8)).verdict, 'better');
  });

  test('a difference within the noise is unclear, and unclear is not fine', () => {
    const wide = (factor: number): BenchResult =>
      bench([workload('fs', new Map([[4, generations([80, 120, 95, 130, 70].map((ms) => ms * factor))]]))]);
    assert.equal(compare(wide(1), wide(1.1)).verdict, 'unclear');
  });

  test('few generations: an estimate without an interval', () => {
    const few = bench([workload('crypto', new Map([[4, generations([100, 101, 99])]]))]);
    const found = compare(one(1), few);
    assert.deepEqual([found.rows[0]?.interval, found.verdict], [null, 'unclear']);
    assert.deepEqual(ids(found), ['compare.few-generations']);
  });

  test('another machine: the figures stand there, and nothing is concluded from them', () => {
    const elsewhere = { ...environment, cpu: { ...environment.cpu, model: 'Another', effectiveCpus: 64 } };
    const found = compare(one(1), { ...one(2), environment: elsewhere });
    assert.deepEqual([found.verdict, found.rows[0]?.verdict, found.rows.length], ['unclear', 'unclear', 1]);
    assert.match(
      found.findings[0]?.text ?? '',
      /the results come from two machines \(CPU .* → Another, cores \d+ → 64\)/,
    );
  });

  test('other work under the same name is not compared', () => {
    const heavier = bench([
      workload('crypto', new Map([[4, generations(STEADY)]]), { parameters: { operations: 32 } }),
    ]);
    const found = compare(one(1), heavier);
    assert.deepEqual([found.verdict, ids(found)], ['unclear', ['compare.other-work']]);
  });

  test('a noisy result, and an unfinished one, prove nothing', () => {
    const noisy = bench([
      workload('crypto', new Map([[4, generations(STEADY)]]), {
        noise: { aaRatio: 1.3, aaInterval: [1.2, 1.4], noisy: true },
      }),
    ]);
    assert.deepEqual(
      [compare(one(1), noisy).verdict, ids(compare(one(1), noisy))],
      ['unclear', ['compare.noisy']],
    );
    const cut = one(1);
    cut.method.interrupted = true;
    assert.deepEqual(ids(compare(cut, one(1))), ['compare.unfinished']);
  });

  test('times of a machine that others used most of the time are not compared', () => {
    const disturbedFor = (disturbed: number): BenchResult => {
      const method = {
        ...({ mode: 'alternating', stop: 'settled', seconds: 1 } as const),
        ...{ repetitions: 1, blocks: 3, generations: 6, mostGenerations: 8, rounds: 18 },
        fixed: null,
        shares: [],
      };
      const disturbances = Array.from({ length: disturbed }, (_, generation) => ({
        generation,
        what: ['other-load'],
      }));
      return bench([workload('crypto', new Map([[4, generations(scaled(1.2))]]), { method, disturbances })]);
    };
    assert.equal(compare(one(1), disturbedFor(3)).verdict, 'worse');
    const found = compare(one(1), disturbedFor(4));
    assert.deepEqual([found.verdict, ids(found)], ['unclear', ['compare.disturbed']]);
  });

  test('a workload that is gone is not fine; one that is new is', () => {
    const both = bench([
      workload('crypto', new Map([[4, generations(STEADY)]])),
      workload('zlib', new Map([[4, generations(STEADY)]])),
    ]);
    assert.equal(compare(both, one(1)).verdict, 'unclear');
    assert.equal(compare(one(1), both).verdict, 'same');
    assert.match(compare(both, one(1)).findings[0]?.text ?? '', /only in the old result: zlib at 4/);
    const nothing = compare(one(1), one(1, 'other'));
    assert.deepEqual([nothing.verdict, nothing.rows], ['unclear', []]);
    assert.ok(ids(nothing).includes('compare.nothing-in-common'));
  });

  test('what changes everywhere alike may be the machine', () => {
    const suite = (factor: number): BenchResult =>
      bench(['a', 'b'].map((name) => workload(name, both(generations(scaled(factor))))));
    assert.deepEqual(ids(compare(suite(1), suite(1.2))), ['compare.all-alike']);
    assert.deepEqual(ids(compare(suite(1), suite(1))), []);
  });

  test('the twin of the baseline counts as the baseline', () => {
    const [own] = bench([workload('a', both(generations(STEADY)))]).workloads;
    assert.ok(own !== undefined);
    const moved = {
      ...own,
      twinRounds: own.twinRounds.map((round) => ({ ...round, workMs: round.workMs * 1.5 })),
    };
    const rows = compare(bench([own]), bench([moved])).rows;
    assert.ok((rows[0]?.ratio ?? 0) > 1.1 && rows[1]?.ratio === 1, JSON.stringify(rows));
  });

  test('false alarms: at most one suite of twenty where nothing differs', () => {
    const random = createRandom(11);
    const gauss = (): number =>
      Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next());
    const suite = (): BenchResult =>
      bench(
        ['a', 'b', 'c'].map((name) =>
          workload(
            name,
            new Map(
              [4, 8].map((size) => [
                size,
                generations(Array.from({ length: 6 }, () => 100 * Math.exp(0.05 * gauss()))),
              ]),
            ),
          ),
        ),
      );
    let alarms = 0;
    for (let trial = 0; trial < 300; trial++) if (compare(suite(), suite()).verdict === 'worse') alarms++;
    // One direction of two: 2.5 % are expected, 7.5 of 300.
    assert.ok(alarms <= 18, `${alarms} of 300`);
  });

  test('the other way round it is the inverse, and every comparison is a valid document', () => {
    const time = fc.double({ min: 0.01, max: 1e6, noNaN: true });
    const times = fc.array(fc.array(time, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 6 });
    const suite = fc
      .dictionary(fc.constantFrom('a', '__proto__', 'b | c', '\u001b[31m'), fc.tuple(times, times), {
        maxKeys: 3,
      })
      .map((works) =>
        bench(Object.entries(works).map(([name, [four, eight]]) => workload(name, both(four, eight)))),
      );
    const opposite = { better: 'worse', worse: 'better', same: 'same', unclear: 'unclear' } as const;
    fc.assert(
      fc.property(suite, suite, (old, now) => {
        const there = comparisonSchema.parse(compare(old, now));
        const back = compare(now, old);
        for (const row of there.rows) {
          const same = back.rows.find(({ name, size }) => name === row.name && size === row.size);
          assert.equal(same?.verdict, opposite[row.verdict]);
          assert.ok(Math.abs((same?.ratio ?? 0) * row.ratio - 1) < 1e-9);
        }
      }),
      { numRuns: 60 },
    );
  });
});

describe('the report of a comparison', () => {
  const old = bench([
    workload('crypto', new Map([[4, generations(STEADY)]])),
    workload('a | b', new Map([[4, generations(STEADY)]])),
  ]);
  const now = bench([
    workload('crypto', new Map([[4, generations(scaled(1.2))]])),
    workload('a | b', new Map([[4, generations(STEADY)]])),
  ]);

  test('what it came to, then rows, at 80 columns', () => {
    const text = reportText(compare(old, now), plainStyle(80));
    const lines = text.split('\n');
    assert.match(text, /\n\nWorse: crypto\n\n +work/);
    assert.match(text, /\n +crypto +4 +100\.0 ms +120 ms +\+20 % \[\+1\d, \+2\d\] +worse\n/);
    assert.ok(lines.every((line) => line.length <= 80));
  });

  test('in Markdown nothing breaks out of its cell', () => {
    const text = reportMarkdown(compare(old, now));
    assert.match(text, /\n\*\*Worse: crypto/);
    assert.match(text, /\| a \\\| b \| 4 \|/);
  });
});

test('a document of another kind, and one that is not there', () => {
  const directory = mkdtempSync(join(tmpdir(), 'plimsoll-test-'));
  after(() => rmSync(directory, { recursive: true }));
  const [good, bad] = ['good.json', 'bad.json'].map((name) => join(directory, name)) as [string, string];
  writeFileSync(good, JSON.stringify(one(1)));
  writeFileSync(bad, '{"schema":"plimsoll/1","kind":"advice"}');
  assert.equal(compare(good, good).verdict, 'same');
  assert.throws(() => compare(good, bad), { code: 'PLIMSOLL_USAGE', message: /kind "advice"/ });
  assert.throws(() => compare(good, join(directory, 'none.json')), /cannot read .*none\.json \(ENOENT\)/);
});
