import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import * as plimsoll from 'plimsoll';
import * as marks from 'plimsoll/mark';
import { fixture } from './support/cli.js';

const { bench, classify, timeline, trace, tune, PlimsollError } = plimsoll;

const hashing = [
  process.execPath,
  '-e',
  'for (let i = 0; i < 30; i++) require("node:crypto").pbkdf2("a", "b", 2000, 64, "sha512", () => {})',
];
const sleeping = [process.execPath, '-e', 'setTimeout(() => {}, 60_000)'];

/** Our own children that have not ended, by the kernel's account; none where it has no such account. */
function children(): string[] {
  if (process.platform !== 'linux') return [];
  const all = readFileSync(`/proc/self/task/${process.pid}/children`, 'utf8').trim();
  return all === '' ? [] : all.split(' ');
}

describe('the commands as functions', () => {
  const before_ = process.env.TMPDIR;
  let directory = '';
  before(() => {
    directory = mkdtempSync(join(tmpdir(), 'plimsoll-library-'));
    process.env.TMPDIR = directory;
  });
  after(() => {
    if (before_ === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = before_;
    rmSync(directory, { recursive: true });
  });

  const leavesNothing = (name: string, work: () => Promise<void>): void => {
    test(name, async () => {
      const others = children();
      await work();
      assert.deepEqual(readdirSync(directory), [], 'no temporary directory is left');
      assert.deepEqual(
        children().filter((pid) => !others.includes(pid)),
        [],
        'no process is left',
      );
    });
  };
  leavesNothing('tune', async () => {
    const result = await tune({ command: [process.execPath, '-e', ''], sizes: [4], timeMs: 3_000 });
    assert.equal(plimsoll.tuneSchema.parse(result).method.mode, 'runs');
  });

  const small = { workloads: ['zlib'], sizes: [2], baseline: 2, operations: 2, timeMs: 100 };

  leavesNothing('bench', async () => {
    const result = plimsoll.benchSchema.parse(await bench(small));
    assert.deepEqual(result.method.sizes, [2]);
    assert.equal(result.workloads[0]?.method?.generations, 1);
  });

  leavesNothing('bench, with a workload that fails', async () => {
    const { workloads } = await bench({
      ...small,
      workloads: [fixture('bad/throws.mjs')],
      operations: undefined,
    });
    assert.equal(workloads[0]?.failure?.code, 'PLIMSOLL_WORKLOAD_FAILED');
  });

  leavesNothing('timeline', async () => {
    const options = { operation: `${fixture('draw.mjs')}#hash`, requests: [2], size: 2 };
    const result = plimsoll.timelineSchema.parse(await timeline(options));
    assert.deepEqual(
      result.experiments.map(({ requests }) => requests),
      [2],
    );
  });

  leavesNothing('timeline, of an operation that fails', async () => {
    const operation = `${fixture('draw.mjs')}#nowhere`;
    await assert.rejects(timeline({ operation, requests: [1] }), PlimsollError);
  });

  if (process.platform !== 'win32')
    leavesNothing('classify', async () => {
      const { results } = await classify({ names: ['fs.stat'] });
      assert.equal(results[0]?.verdict, 'pool');
    });

  leavesNothing('trace', async () => {
    const { summary } = await trace({ command: hashing, size: 2 });
    assert.equal(plimsoll.traceSummarySchema.parse(summary).programs[0]?.jobs, 30);
  });

  leavesNothing('a signal ends a bench, whose result says so', async () => {
    const controller = new AbortController();
    const onProgress = (): void => controller.abort();
    const { method } = await bench(
      { ...small, isolated: true, blocks: 100 },
      { signal: controller.signal, onProgress },
    );
    assert.equal(method.interrupted, true);
  });

  leavesNothing('a signal ends the command that is recorded', async () => {
    const controller = new AbortController();
    const onProgress = ({ processes }: plimsoll.RecordProgress): void => {
      if (processes > 0) controller.abort();
    };
    const { summary } = await trace({ command: sleeping }, { signal: controller.signal, onProgress });
    assert.equal(summary.ending, 'interrupted');
  });

  leavesNothing('a signal that has aborted ends the others before they begin', async () => {
    const signal = AbortSignal.abort();
    assert.equal((await timeline({ operation: 'pbkdf2' }, { signal })).interrupted, true);
    if (process.platform !== 'win32') assert.equal((await classify({}, { signal })).interrupted, true);
  });

  test('a wrong option is named, with the value received', async () => {
    const rejects = (work: Promise<unknown>, says: RegExp): Promise<void> =>
      assert.rejects(work, (error) => {
        assert.ok(error instanceof PlimsollError);
        assert.equal(error.code, 'PLIMSOLL_USAGE');
        assert.match(error.message, says);
        return true;
      });
    await rejects(bench({ sizes: [0] }), /^sizes: .*from 1 to 1024, not 0/);
    await rejects(bench({ sizes: [] }), /^sizes: needs at least one/);
    await rejects(bench({ blocks: 1.5 }), /^blocks: .*not 1\.5/);
    await rejects(bench({ scale: Number.NaN }), /^scale: .*not NaN/);
    await rejects(bench({ workloads: ['cripto'] }), /unknown workload "cripto"/);
    await rejects(timeline({ operation: 'nothing' }), /unknown operation "nothing"/);
    await rejects(classify({ names: ['fs.nothing'] }), /unknown API "fs\.nothing"/);
    await rejects(trace({ command: [] }), /^command: /);
    await rejects(tune({}), /^command: must name a program to run/);
    await rejects(tune({ command: ['a'], pid: 1 }), /^command and pid: use one of the two/);
    await rejects(bench({ blocks: 3 }), /^blocks needs isolated, which is missing/);
    await rejects(
      tune({ command: ['a'], urls: ['/'], headers: ['x'] }),
      /^headers: must look like .*not "x"/,
    );
    await rejects(tune({ command: ['a'], timeMs: -1 }), /^timeMs: .*not -1/);
  });
});

test('plimsoll exports these values and no others', () => {
  assert.deepEqual(
    Object.keys(plimsoll).sort(),
    [
      ...['bench', 'classify', 'compareModules', 'timeline', 'trace', 'tune'],
      ...['doctor', 'report', 'resize', 'top', 'PlimsollError'],
      ...['reportMarkdown', 'reportText', 'comparisonSchema'],
      ...['plainStyle', 'terminalStyle'],
      ...['benchSchema', 'classificationSchema', 'environmentSchema'],
      ...[
        'diagnosisSchema',
        'poolActivitySchema',
        'resizeSchema',
        'timelineSchema',
        'traceSummarySchema',
        'tuneSchema',
      ],
    ].sort(),
  );
});

test('plimsoll/mark exports one function, by import and by require', () => {
  assert.deepEqual(Object.keys(marks), ['mark']);
  assert.deepEqual(Object.keys(createRequire(import.meta.url)('plimsoll/mark')), ['mark']);
});

test('plimsoll/lab is no part of the package', async () => {
  const name: string = 'plimsoll/lab';
  await assert.rejects(import(name), { code: 'ERR_PACKAGE_PATH_NOT_EXPORTED' });
});
