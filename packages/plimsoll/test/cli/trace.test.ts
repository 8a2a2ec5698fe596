import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { trace as record, type TracedJob, type TraceSummary, traceSummarySchema } from 'plimsoll';
import {
  type CliOptions,
  type CliRun,
  fixture,
  hasRecorded,
  plimsoll,
  processesWith,
  until,
} from '../support/cli.js';

const linux = process.platform === 'linux' ? {} : { skip: 'looks at threads and processes in /proc' };
const major = Number(process.versions.node.split('.')[0]);
const node = process.execPath;
const app = (name: string): string => fixture(`trace/${name}`);

interface Traced extends CliRun {
  readonly summary: TraceSummary;
  /** Jobs of a kind, of all processes. */
  readonly count: (kind: string) => number;
}

/** Trace a command, with the summary on standard output; the app's own output is in `stderr`. */
async function trace(
  options: readonly string[],
  command: readonly string[],
  more: CliOptions = {},
): Promise<Traced> {
  const run = await plimsoll(['trace', '--quiet', '--json', '-', ...options, '--', ...command], more);
  const summary = traceSummarySchema.parse(JSON.parse(run.stdout));
  const kinds = summary.programs.flatMap((program) => program.kinds);
  const count = (wanted: string): number =>
    kinds.filter(({ kind }) => kind === wanted).reduce((sum, { jobs }) => sum + jobs, 0);
  assert.deepEqual(run.left, []);
  return { ...run, summary, count };
}

const notes = ({ notes: all }: { notes: readonly { id: string }[] }): string[] => all.map(({ id }) => id);

describe('a traced program does what it does untraced', linux, () => {
  test('every job is recorded, its output and exit code stay, and it ends by itself', async () => {
    const run = await trace(['--size', '3'], [node, app('hashes.mjs'), '20']);
    assert.equal(run.code, 0, run.stderr);
    assert.match(run.stderr, /^hashed 20\n/);
    assert.doesNotMatch(run.stderr, /debugger|Warning/);
    assert.equal(run.count('crypto'), 20);
    const [program] = run.summary.programs;
    assert.deepEqual([program?.size, program?.observedThreads], [3, [3]]);
    assert.notEqual(program?.coresUsed, null);
    assert.equal(run.summary.ending, 'ended');
  });

  test('its first use of the pool is its own', async () => {
    const run = await trace([], [node, app('sets-size.cjs')]);
    assert.equal(run.code, 0, run.stderr);
    assert.deepEqual([run.summary.programs[0]?.size, run.summary.programs[0]?.observedThreads], [4, [9]]);
  });

  test('NODE_OPTIONS keeps what was in it', async () => {
    const run = await trace([], [node, '-p', 'process.noDeprecation'], {
      env: { NODE_OPTIONS: '--no-deprecation' },
    });
    assert.match(run.stderr, /^true\n/);
  });

  test('without a job the size cannot matter', async () => {
    const run = await trace([], [node, '-e', 'setTimeout(() => {}, 50)']);
    assert.equal(run.code, 0, run.stderr);
    assert.equal(run.summary.programs[0]?.advice.id, 'trace.unused');
    assert.match(run.stderr, /never used the pool in [\d.]+ m?s: its size cannot matter/);
  });
});

test('the processes of a cluster, and jobs of Workers, are one program', linux, async () => {
  const recorded = await record({ command: [node, app('cluster.cjs')], stdout: 'nowhere' });
  const [program] = recorded.summary.programs;
  assert.deepEqual([recorded.summary.programs.length, program?.pids.length], [1, 3]);
  assert.equal(program?.kinds.find(({ kind }) => kind === 'crypto')?.jobs, 20);
  // Of the Workers: their loops are not those of their processes, so they go on while tracing stands still there for a moment.
  for (const { pid, jobs } of recorded.trace.processes.slice(1)) {
    const ofWorker = ({ kind, loopThread }: TracedJob): boolean => kind === 'fs.stat' && loopThread !== pid;
    const seen = jobs.filter(ofWorker).length;
    assert.ok(seen > 0 && seen <= 40, `${seen} of 40 are recorded`);
  }
});

test('arguments, which may be secrets, are in nothing that is passed on', linux, async () => {
  const secret = 'token-4711';
  const directory = mkdtempSync(join(tmpdir(), 'plimsoll-test-'));
  const html = join(directory, 'page.html');
  const run = await trace(['--html', html], [node, app('hashes.mjs'), '1', secret]);
  assert.equal(run.code, 0, run.stderr);
  assert.doesNotMatch(JSON.stringify(run.summary), new RegExp(secret));
  const page = readFileSync(html, 'utf8');
  assert.match(page, /hashes\.mjs/);
  assert.doesNotMatch(page, new RegExp(secret));
  rmSync(directory, { recursive: true });
});

test('a daemon that is not Node is neither waited for nor ended', linux, async () => {
  const code = `
    const { pid } = require('child_process').spawn('sleep', ['60'], { detached: true, stdio: 'ignore' });
    console.log('daemon ' + pid);
    process.exit();`;
  const run = await plimsoll(['trace', '--quiet', '--', node, '-e', code]);
  assert.equal(run.code, 0, run.stderr);
  const pid = Number(/daemon (\d+)/.exec(run.stdout)?.[1]);
  assert.ok(process.kill(pid, 'SIGKILL'), 'it still ran');
});

describe('a recording that ends early keeps what there was', linux, () => {
  test('a command that fails: exit code 4', async () => {
    const run = await trace([], [node, app('forever.cjs'), 'fails']);
    assert.equal(run.code, 4, run.stderr);
    assert.ok(run.count('crypto') > 0);
    assert.ok(notes(run.summary).includes('trace.command-failed'));
    assert.match(run.stderr, /ended with exit code 7/);
  });

  test('a process that is killed', async () => {
    const run = await trace([], [node, app('forever.cjs'), 'killed']);
    assert.equal(run.code, 4, run.stderr);
    assert.ok(run.count('crypto') > 0);
    assert.ok(notes(run.summary).includes('trace.killed'));
  });

  test('--duration: the command is ended, exit code 0', async () => {
    const run = await trace(['--duration', '10'], [node, app('forever.cjs')]);
    assert.equal(run.code, 0, run.stderr);
    assert.equal(run.summary.ending, 'stopped');
    assert.ok(run.count('crypto') > 0);
    assert.ok(!notes(run.summary).includes('trace.killed'));
  });

  test('--max-events: the recording stops and says so, the command goes on', async () => {
    const run = await trace(['--max-events', '40'], [node, app('hashes.mjs'), '50']);
    assert.equal(run.code, 0, run.stderr);
    assert.match(run.stderr, /^hashed 50\n/);
    assert.match(run.stderr, /recording stopped after 40 events \(--max-events\)/);
    assert.equal(notes(run.summary).filter((id) => id === 'trace.bound').length, 1);
    assert.ok(run.count('crypto') <= 10);
  });

  test('Ctrl-C: the command gets one SIGINT, exit code 130 with the report', async () => {
    const run = await trace([], [node, app('forever.cjs'), 'signals'], {
      meanwhile: (child, directory) =>
        void until(() => hasRecorded(directory)).then(() => child.kill('SIGINT')),
    });
    assert.equal(run.code, 130, run.stderr);
    assert.equal(run.summary.ending, 'interrupted');
    assert.match(run.stderr, /interrupted once/);
    assert.ok(run.count('crypto') > 0);
  });

  test('Ctrl-C before anything could be recorded: exit code 130 all the same', async () => {
    const run = await plimsoll(['trace', '--', 'sleep', '60'], {
      meanwhile: (child) => child.stderr?.once('data', () => child.kill('SIGINT')),
    });
    assert.equal(run.code, 130, run.stderr);
    assert.deepEqual(run.left, []);
  });

  test('SIGKILL of plimsoll itself: no process and no directory is left', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'plimsoll-test-'));
    const run = await plimsoll(['trace', '--quiet', '--', node, app('forever.cjs')], {
      env: { TMPDIR: directory },
      meanwhile: (child) => void until(() => hasRecorded(directory)).then(() => child.kill('SIGKILL')),
    });
    assert.equal(run.code, null);
    await until(() => processesWith(directory).length === 0, 60_000, 'every process is gone');
    await until(() => readdirSync(directory).length === 0, 60_000, 'its directory is gone');
    rmSync(directory, { recursive: true });
  });
});

const permission = major < 22 ? '--experimental-permission' : '--permission';
const bad: Record<string, readonly [readonly string[], number, RegExp]> = {
  'no command': [[], 2, /missing required argument 'command'/],
  'a command that does not exist': [
    ['--', 'nonexistent-command'],
    4,
    /cannot start "nonexistent-command": there is no such command/,
  ],
  'no Node program': [['--', 'sleep', '0'], 4, /no Node process.*could be recorded/],
  'size 0': [['--size', '0', '--', node], 2, /--size.*not "0"/],
  'no duration': [['--duration', '0', '--', node], 2, /--duration.*not "0"/],
  'no events': [['--max-events', '0', '--', node], 2, /--max-events.*not "0"/],
  'a graph into no directory': [
    ['--flame', '/nonexistent/x.html', '--', node],
    2,
    /--flame: cannot write.*ENOENT/,
  ],
  'a graph of no known form': [
    ['--flame', 'x.svg', '--', node],
    2,
    /--flame: must end with one of .*not "x.svg"/,
  ],
  'a process without permissions': [
    ['--', node, permission, '--allow-fs-read=*', '-e', '1'],
    4,
    /--permission Node refuses the recorder/,
  ],
};
test('a process that may have Workers, but no inspector, goes on without its trace', async () => {
  const allowed = ['--allow-worker', '--allow-fs-read=*', '--allow-fs-write=*'];
  const code = "require('fs').readFile('/dev/null', () => console.log('done'))";
  const run = await plimsoll(['trace', '--', node, permission, ...allowed, '-e', code]);
  assert.equal(run.code, 0, run.stderr);
  assert.match(run.stderr + run.stdout, /^done$/m);
  assert.match(run.stdout, /--permission allows no\s+inspector \(trace\.inspector\)/s);
});

for (const [what, [args, code, says]] of Object.entries(bad))
  test(`${what}: a clear line and exit code ${code}`, async () => {
    const run = await plimsoll(['trace', '--quiet', ...args]);
    assert.equal(run.code, code, run.stderr);
    assert.match(run.stderr, says);
    assert.doesNotMatch(run.stderr, /\n {4}at /);
    assert.deepEqual(run.left, []);
  });
