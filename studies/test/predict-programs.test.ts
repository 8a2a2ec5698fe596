import assert from 'node:assert/strict';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { Guardian, type Trace } from 'plimsoll/lab';
import { HELD_OUT, PROGRAM_NAMES } from '#studies/predict/held-out.js';
import { PROGRAMS, type ServerProgram } from '#studies/predict/programs/catalogue.js';
import { type AnsweredSize, predictedSizes } from '#studies/predict/programs/forecast.js';
import { makeInputs } from '#studies/predict/programs/inputs.js';
import { install, NotInstalled, SOURCE, WITH_SCRIPTS } from '#studies/predict/programs/install.js';
import { judgeProgram } from '#studies/predict/programs/judge.js';
import { measureProgram } from '#studies/predict/programs/measure-program.js';
import { measuredSizes } from '#studies/predict/programs/measured.js';
import { programsMarkdown } from '#studies/predict/programs/page.js';
import type { MeasuredSize, ProgramResult } from '#studies/predict/programs/result.js';
import { since } from '#studies/predict/programs/since.js';
import { ProgramFailed } from '#studies/predict/programs/start.js';
import { measurePrograms } from '#studies/predict/programs/study.js';
import { summaryOf, targetsOf } from '#studies/predict/programs/summary.js';
import { Finished } from '#studies/predict/resume.js';

const directory = mkdtempSync(join(tmpdir(), 'plimsoll-programs-'));
after(() => rmSync(directory, { recursive: true, force: true }));

const folder = (name: string): string => {
  const made = join(directory, name);
  mkdirSync(made, { recursive: true });
  return made;
};

const measured = (size: number, mean: number, more: Partial<MeasuredSize> = {}): MeasuredSize => ({
  size,
  runs: 3,
  units: 100,
  mean,
  p99: 2 * mean,
  perSecond: 1000 / mean,
  makespanMs: null,
  spread: { mean: 0.02, p99: 0.05, pace: 0.02 },
  isOverloaded: false,
  ...more,
});

/** Predicts a mean, twice of it as p99, and a band of 10 % to both sides. */
const answer = (size: number, mean: number, isOverloaded = false): AnsweredSize => {
  const of = (value: number): Omit<AnsweredSize, 'size' | 'low' | 'high'> => ({
    latencyMs: { mean: 1, p99: 1 },
    makespanMs: 1,
    jobsPerSecond: 1,
    requests: { latencyMs: { mean: value, p99: 2 * value }, perSecond: 1000 / value, isOverloaded },
    operations: [],
  });
  return { size, ...of(mean), low: of(0.9 * mean), high: of(1.1 * mean) };
};

const judged = (answers: AnsweredSize[], size: number, real: MeasuredSize[]) =>
  judgeProgram(
    { kind: 'server', paces: true },
    {
      sizes: predictedSizes(answers, { kind: 'server', units: 100, jobs: 100 }),
      recommended: { size, confidence: 'high', because: '', reasons: [] },
    },
    real,
    11,
  );

const result = (name: ProgramResult['name'], more: Partial<ProgramResult> = {}): ProgramResult => ({
  name,
  isHeldOut: HELD_OUT.includes(name),
  kind: 'server',
  what: 'a planted one',
  unit: 'request',
  packages: ['planted 1.0.0'],
  measured: [measured(1, 20), measured(4, 10), measured(16, 8)],
  noSizeHelps: false,
  twin: 1,
  predictions: [
    judged([answer(1, 22), answer(4, 10), answer(16, 6)], 16, [
      measured(1, 20),
      measured(4, 10),
      measured(16, 8),
    ]),
  ],
  seconds: 1,
  ...more,
});

describe('the programs', () => {
  test('are in alphabetical order, and every second one is held out', () => {
    assert.deepEqual(
      PROGRAMS.map(({ name }) => name),
      [...PROGRAM_NAMES].sort(),
    );
    assert.deepEqual(HELD_OUT.slice(0, 3), ['better-sqlite3', 'express-bcrypt', 'fs-cp']);
    assert.equal(HELD_OUT.length * 2, PROGRAM_NAMES.length);
  });

  test('are pinned, without a place where they are fetched', () => {
    const { dependencies } = JSON.parse(readFileSync(join(SOURCE, 'package.json'), 'utf8')) as {
      dependencies: Record<string, string>;
    };
    for (const { name, packages } of PROGRAMS) {
      assert.ok(existsSync(join(SOURCE, `${name}.mjs`)), name);
      for (const one of packages) assert.match(dependencies[one] ?? '', /^\d+\.\d+\.\d+$/, one);
    }
    assert.doesNotMatch(readFileSync(join(SOURCE, 'package-lock.json'), 'utf8'), /"resolved"/);
  });

  test('read inputs that are the same wherever they are generated', () => {
    const [one, other] = [makeInputs('text', folder('inputs-1')), makeInputs('text', folder('inputs-2'))];
    for (const file of ['text-00.txt', 'text-39.txt'])
      assert.deepEqual(
        readFileSync(join(one, 'package-15', file)),
        readFileSync(join(other, 'package-15', file)),
      );
  });
});

describe('the judge of programs', () => {
  const real = [measured(1, 20), measured(4, 10), measured(16, 8)];

  test('errors, bands and regret', () => {
    const { compared, regret, regretIsSteady, saysNoSizeHelps, recorderCost } = judged(
      [answer(1, 22), answer(4, 10), answer(16, 6)],
      1,
      real,
    );
    assert.deepEqual(
      compared.map(({ size }) => size),
      [1, 16],
    );
    const [one, sixteen] = compared;
    assert.ok(Math.abs((one?.mean?.error ?? 0) - 0.1) < 1e-9);
    assert.ok(Math.abs((sixteen?.p99?.error ?? 0) + 0.25) < 1e-9);
    assert.deepEqual([one?.mean?.inBand, sixteen?.mean?.inBand], [true, false]);
    assert.ok(Math.abs((one?.mean?.halfWidth ?? 0) - 0.1) < 1e-9);
    assert.equal(regret, 20 / 8 - 1);
    assert.equal(regretIsSteady, true);
    assert.equal(saysNoSizeHelps, true, 'size 1 is worse by its own table');
    assert.ok(Math.abs(recorderCost - 0.1) < 1e-9);
  });

  test('one run agrees with nothing: its regret says little', () => {
    const once = real.map((one) => ({ ...one, runs: 1 }));
    assert.equal(judged([answer(4, 10), answer(16, 6)], 16, once).regretIsSteady, false);
  });

  test('a promised gain is no “no size helps”', () => {
    assert.equal(judged([answer(4, 10), answer(16, 6)], 16, real).saysNoSizeHelps, false);
    assert.equal(judged([answer(4, 10), answer(16, 9.8)], 16, real).saysNoSizeHelps, true);
  });

  test('overload has no latency, and must be said', () => {
    const over = [measured(1, 900, { isOverloaded: true }), measured(4, 10)];
    const [missed] = judged([answer(1, 22), answer(4, 10)], 4, over).compared;
    assert.deepEqual([missed?.mean, missed?.overloadAgrees], [null, false]);
    const [said] = judged([answer(1, 22, true), answer(4, 10)], 4, over).compared;
    assert.equal(said?.overloadAgrees, true);
    const [wrong] = judged([answer(1, 20, true), answer(4, 10)], 4, real).compared;
    assert.deepEqual([wrong?.mean?.inBand, wrong?.overloadAgrees], [false, false]);
  });

  test('without a job of the pool it is said that no size helps', () => {
    const none = judgeProgram({ kind: 'server', paces: true }, null, real, 10);
    assert.deepEqual([none.saysNoSizeHelps, none.recommended, none.compared], [true, null, []]);
  });

  test('what speaks of the units: requests, else operations of their number, else jobs', () => {
    const { requests, ...rest } = answer(4, 10);
    const operations = [
      { name: 'part', count: 100, latencyMs: { mean: 1, p99: 2 } },
      { name: 'whole', count: 100, latencyMs: { mean: 5, p99: 9 } },
      { name: 'other', count: 700, latencyMs: { mean: 50, p99: 90 } },
    ];
    const plain = { ...rest, low: rest, high: rest };
    const of = (one: AnsweredSize) =>
      predictedSizes([one], { kind: 'server', units: 100, jobs: 700 }).map(({ basis, mean }) => [
        basis,
        mean.value,
      ])[0];
    assert.deepEqual(of({ ...plain, requests } as AnsweredSize), ['requests', 10]);
    assert.deepEqual(of({ ...plain, operations }), ['operations', 5]);
    assert.deepEqual(of({ ...plain, operations: operations.slice(2) }), ['jobs', 1]);
  });

  test('runs of a size are their median and how far they are apart', () => {
    const run = (ms: number) => ({
      size: 4,
      unitsMs: Array<number>(80).fill(ms),
      perSecond: null,
      makespanMs: 80 * ms,
      isOverloaded: false,
    });
    const [own] = measuredSizes([run(10), run(11), run(12)], [1, 4]);
    assert.deepEqual([own?.size, own?.mean, own?.makespanMs, own?.runs], [4, 11, 880, 3]);
    assert.ok(Math.abs((own?.spread.mean ?? 0) - 2 / 11) < 1e-9);
  });
});

describe('the page of the programs', () => {
  test('says by half what is reached, and what is missed where', () => {
    const page = programsMarkdown([result('express-bcrypt'), result('archiver')], []).join('\n');
    assert.match(page, /^- held out: `better-sqlite3`, `express-bcrypt`/m);
    assert.match(
      page,
      /^\| median error of the mean latency \| ≤ 8\.0 % \| 17\.5 % \*\*missed\*\* \| 17\.5 % \*\*missed\*\* \|$/m,
    );
    assert.match(page, /^- `express-bcrypt`, held out: median error of the mean latency 17\.5 %/m);
    assert.match(page, /^### archiver$/m);
    assert.doesNotMatch(page, /undefined|NaN|\[object/);
  });

  test('a half without a figure is neither reached nor missed', () => {
    for (const { reached, isMet } of targetsOf(summaryOf([])))
      assert.deepEqual([reached, isMet], ['–', null]);
  });

  test('no target is stricter than runs of one size agree', () => {
    const wide = result('archiver');
    const [prediction] = wide.predictions;
    assert.ok(prediction);
    const compared = prediction.compared.map((one) => ({
      ...one,
      mean: one.mean && { ...one.mean, spread: 0.3 },
    }));
    const summary = summaryOf([{ ...wide, predictions: [{ ...prediction, compared }] }]);
    assert.equal(targetsOf(summary)[0]?.isMet, true);
  });
});

describe('installing the programs', () => {
  const source = folder('source');
  writeFileSync(join(source, 'package-lock.json'), '{}');
  /** Stands for npm: fails at one of its commands, with a message of its kind; makes the packages of `ci`. */
  const npm = (failing: string): [string, string] => {
    const file = join(directory, `npm-${failing}.cjs`);
    writeFileSync(
      file,
      `const { mkdirSync } = require('node:fs');
       const [, , command] = process.argv;
       if (command === 'ci') mkdirSync('node_modules/better-sqlite3', { recursive: true });
       if (command === '${failing}') {
         console.error('npm error code ENOTFOUND\\nnpm error A complete log of this run can be found in: /root/x');
         process.exitCode = 1;
       }`,
    );
    return [process.execPath, file];
  };

  test('fails with the reason of npm, and no path of this machine', async () => {
    await assert.rejects(install({ source, cache: folder('cache-1'), npm: npm('ci') }), (error) => {
      assert.ok(error instanceof NotInstalled);
      assert.equal(error.message, 'npm ci: code ENOTFOUND');
      return true;
    });
    await assert.rejects(install({ source, cache: folder('cache-1'), npm: ['no-such-npm'] }), /ENOENT/);
  });

  test('a package whose script fails is broken, and the others are there', async () => {
    const { broken } = await install({ source, cache: folder('cache-2'), npm: npm('rebuild') });
    assert.deepEqual([...broken], [['better-sqlite3', 'npm rebuild better-sqlite3: code ENOTFOUND']]);
    assert.ok(WITH_SCRIPTS.includes('better-sqlite3'));
  });

  test('happens once, but again after it failed', async () => {
    const cache = folder('cache-3');
    await assert.rejects(install({ source, cache, npm: npm('ci') }));
    await install({ source, cache, npm: npm('nothing') });
    await install({ source, cache, npm: npm('ci') });
  });

  test('without it programs are skipped, and the page says so', async () => {
    const guardian = new Guardian();
    const { signal } = new AbortController();
    const { programs, skipped } = await measurePrograms(
      ['express-bcrypt'],
      { sizes: [4], runs: 1, recordings: 1, scale: 0.1 },
      { guardian, signal },
      new Finished(folder('finished-1'), 1),
      { source, cache: folder('cache-4'), npm: npm('ci') },
    );
    await guardian.close();
    assert.deepEqual(programs, []);
    assert.match(
      programsMarkdown(programs, skipped).join('\n'),
      /^- `express-bcrypt` could not be installed: npm ci: code ENOTFOUND$/m,
    );
  });
});

describe('a program under way', () => {
  const [planted] = PROGRAMS.filter((one): one is ServerProgram => one.name === 'koa-scrypt');
  const started = async (
    server: string,
    where: string,
  ): Promise<{ found: unknown; left: string[]; pids: number[] }> => {
    const programs = folder(where);
    const temporary = folder(`${where}-tmp`);
    const pids = join(programs, 'pids');
    cpSync(join(SOURCE, 'kit.mjs'), join(programs, 'kit.mjs'));
    writeFileSync(
      join(programs, 'koa-scrypt.mjs'),
      `import { appendFileSync } from 'node:fs';\nappendFileSync(${JSON.stringify(pids)}, process.pid + '\\n');\n${server}`,
    );
    const before = process.env.TMPDIR;
    process.env.TMPDIR = temporary;
    const guardian = new Guardian();
    try {
      assert.ok(planted);
      const found = await measureProgram(
        { ...planted, packages: [] },
        { sizes: [1, 4], runs: 1, recordings: 0, scale: 0.1 },
        {
          directory: programs,
          cache: folder('inputs-3'),
          cycle: { guardian, signal: new AbortController().signal },
        },
      ).catch((error: unknown) => error);
      return {
        found,
        left: readdirSync(temporary),
        pids: readFileSync(pids, 'utf8').trim().split('\n').map(Number),
      };
    } finally {
      await guardian.close();
      if (before === undefined) delete process.env.TMPDIR;
      else process.env.TMPDIR = before;
    }
  };
  const isAlive = (pid: number): boolean => existsSync(`/proc/${pid}`);

  test('is gone when it was measured, with its folders', async () => {
    const { found, left, pids } = await started(
      `import { createServer } from 'node:http';
       import { serve } from './kit.mjs';
       serve(createServer((request, response) => response.end('{}')));`,
      'good',
    );
    assert.ok(!(found instanceof Error), String(found));
    assert.deepEqual(
      (found as ProgramResult).measured.map(({ size }) => size),
      [1, 4],
    );
    assert.deepEqual(left, []);
    assert.equal(pids.length, 3, 'two sizes and the twin');
    assert.deepEqual(pids.filter(isAlive), []);
  });

  test('fails with its own message, and leaves nothing', async () => {
    const { found, left, pids } = await started(`throw new TypeError('no such planet');`, 'bad');
    assert.ok(found instanceof ProgramFailed, String(found));
    assert.match(found.message, /exit code 1: TypeError: no such planet/);
    assert.deepEqual(left, []);
    assert.deepEqual(pids.filter(isAlive), []);
  });

  test('answers with errors: it failed', async () => {
    const { found, left } = await started(
      `import { createServer } from 'node:http';
       import { serve } from './kit.mjs';
       serve(createServer((request, response) => { response.statusCode = 500; response.end(); }));`,
      'errors',
    );
    assert.ok(found instanceof ProgramFailed, String(found));
    assert.deepEqual(left, []);
  });
});

describe('an interrupted study', () => {
  test('goes on where it was, but not after another plan', async () => {
    const where = folder('finished-2');
    const work = (value: number) => () => Promise.resolve(value);
    assert.equal(await new Finished(where, 'a').once('one', work(1)), 1);
    const again = new Finished(where, 'a');
    assert.equal(await again.once('one', work(2)), 1);
    assert.equal(await new Finished(where, 'b').once('one', work(3)), 3);
    again.clear();
    assert.equal(await new Finished(where, 'a').once('one', work(4)), 4);
  });
});

describe('a trace since a moment', () => {
  test('has what began then, and its indexes still fit', () => {
    const trace = {
      processes: [
        {
          requests: [{ startMs: 0 }, { startMs: 50 }],
          operations: [
            { startMs: 1, request: 0 },
            { startMs: 51, request: 1 },
          ],
          jobs: [
            { submitMs: 2, parent: null, operation: 0 },
            { submitMs: 52, parent: 0, operation: 1 },
            { submitMs: 53, parent: 1, operation: 1 },
          ],
        },
      ],
    } as unknown as Trace;
    assert.deepEqual(since(trace, () => 40).processes[0], {
      requests: [{ startMs: 50 }],
      operations: [{ startMs: 51, request: 0 }],
      jobs: [
        { submitMs: 52, parent: null, operation: 0 },
        { submitMs: 53, parent: 0, operation: 0 },
      ],
    });
  });
});
