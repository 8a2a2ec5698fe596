import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { readTrace, type TracedProcess } from 'plimsoll';
import { fixture, plimsoll } from '../support/cli.js';

const linux = process.platform === 'linux' ? {} : { skip: 'its Workers are told apart by /proc' };
const [major = 0] = process.versions.node.split('.').map(Number);
const program = fixture('trace/calls/programs.cjs');

async function traced(command: readonly string[]): Promise<{ process: TracedProcess; output: string }> {
  const directory = mkdtempSync(join(tmpdir(), 'plimsoll-test-'));
  try {
    const file = join(directory, 'kept');
    const run = await plimsoll(['trace', '--quiet', '--json', '-', '--out', file, '--', ...command]);
    assert.equal(run.code, 0, run.stderr);
    const [process] = readTrace(file).processes;
    assert.ok(process !== undefined);
    return { process, output: run.stderr };
  } finally {
    rmSync(directory, { recursive: true });
  }
}

/** A job as `operation: kind < cause parent`, by the place of its parent, and by that of its operation where it has several. */
function told({ jobs, operations }: TracedProcess): string[] {
  return jobs.map(({ kind, cause, parent, operation }) => {
    const own = operation === null ? '-' : `${operations[operation]?.name}`;
    return `${own}: ${kind} < ${cause}${parent === null ? '' : ` ${parent}`}`;
  });
}

const CHAIN = ['open', 'fstat', 'read', 'close'];
/** The jobs of one call, each submitted in the callback of the one before, from a place on. */
const chain = (name: string, kinds: readonly string[], first: string, at = 0): string[] =>
  kinds.map((kind, index) => `${name}: fs.${kind} < ${index === 0 ? first : `callback ${at + index - 1}`}`);

/** Since 26.8 a file is read by one job. */
const isOneJob = major >= 26;
const readFile = (name: string): string[] =>
  isOneJob ? [`${name}: fs.readfile < other`] : chain(name, CHAIN, 'other');
const read = readFile('').length;

/** What each program must come out as; computed by hand from what Node does. */
const expected: Readonly<Record<string, readonly string[]>> = {
  promise: readFile('fs.promises.readFile'),
  callback: [...readFile('fs.readFile'), `fs.stat: fs.stat < callback ${read - 1}`],
  promisified: ['fs.stat: fs.stat < other'],
  'in parallel': ['fs.promises.stat: fs.stat < other', 'fs.promises.lstat: fs.lstat < other'],
  'one after another': ['fs.promises.stat: fs.stat < other', 'fs.promises.lstat: fs.lstat < callback 0'],
  'after both': [
    'fs.promises.stat: fs.stat < other',
    'crypto.pbkdf2: crypto < other',
    'fs.promises.lstat: fs.lstat < callback 1',
  ],
  chunks: ['zlib.Gzip: zlib < other', 'zlib.Gzip: zlib < callback 0'],
  'write stream': chain('fs.createWriteStream', ['open', 'write', 'close'], 'other'),
  handle: [
    'fs.promises.open: fs.open < other',
    'FileHandle.read: fs.read < callback 0',
    'fs.close: fs.close < callback 1',
  ],
  timer: ['fs.stat: fs.stat < other', 'crypto.pbkdf2: crypto < timer 0'],
  'first timer': ['crypto.pbkdf2: crypto < timer'],
  immediate: ['fs.stat: fs.stat < other', 'crypto.pbkdf2: crypto < immediate 0'],
  'next tick': ['fs.stat: fs.stat < other', 'crypto.pbkdf2: crypto < callback 0'],
  microtask: ['fs.stat: fs.stat < other', 'crypto.pbkdf2: crypto < callback 0'],
  'long after': ['fs.promises.stat: fs.stat < other', 'fs.promises.lstat: fs.lstat < callback 0'],
  // An address needs no pool.
  lookup: ['dns.lookup: dns.lookup < other'],
  'synchronous ones': ['crypto.pbkdf2: crypto < other'],
  // Of bcrypt: 16 random bytes, then a salt of them, then the hash, each given to the pool by another call of the add-on.
  'add-on': [
    'crypto.randomBytes: crypto < other',
    'bcrypt:SaltAsyncWorker: node_api < callback 0',
    'bcrypt:EncryptAsyncWorker: node_api < callback 1',
    'bcrypt:EncryptAsyncWorker: node_api < callback 2',
    'fs.promises.stat: fs.stat < callback 2',
  ],
  subtle: ['crypto.subtle.digest: crypto < other'],
};

describe('every job knows the call that made it and what released it', linux, () => {
  for (const [name, jobs] of Object.entries(expected))
    test(name, async () => {
      const { process } = await traced([globalThis.process.execPath, program, name]);
      assert.deepEqual(told(process), jobs);
    });

  test('one gzip is one operation, however many jobs it has', async () => {
    const { process } = await traced([globalThis.process.execPath, program, 'gzip']);
    assert.deepEqual(
      process.operations.map(({ name }) => name),
      ['zlib.gzip'],
    );
    assert.ok(process.jobs.length > 2, `${process.jobs.length}`);
    for (const [index, { parent, cause }] of process.jobs.entries())
      assert.deepEqual([parent, cause], index === 0 ? [null, 'other'] : [index - 1, 'callback']);
  });

  test('all of a pipeline is one operation; what comes after it is another', async () => {
    const { process } = await traced([globalThis.process.execPath, program, 'pipeline']);
    assert.deepEqual(
      process.operations.map(({ name }) => name),
      ['stream.pipeline', 'fs.stat'],
    );
    const kinds = process.jobs.filter(({ operation }) => operation === 0).map(({ kind }) => kind);
    const count = (kind: string): number => kinds.filter((one) => one === kind).length;
    assert.deepEqual([count('fs.open'), count('fs.close')], [2, 2]);
    assert.ok(count('fs.read') >= 2 && count('fs.write') >= 1 && count('zlib') >= 2, kinds.join(' '));
    assert.equal(process.jobs.find(({ operation }) => operation === 1)?.cause, 'callback');
  });

  test('a stream is one operation; what the program does with its data is another', async () => {
    const { process } = await traced([globalThis.process.execPath, program, 'read stream']);
    const of = (name: string): string[] =>
      process.jobs
        .filter(({ operation }) => operation !== null && process.operations[operation]?.name === name)
        .map(({ kind }) => kind);
    assert.deepEqual(of('fs.createReadStream'), ['fs.open', 'fs.read', 'fs.read', 'fs.close']);
    assert.deepEqual(of('fs.access'), ['fs.access']);
    assert.equal(process.operations.length, 2);
  });

  test('fetch: its lookup is part of it, and what follows its answer comes after that', async () => {
    const { process } = await traced([globalThis.process.execPath, program, 'fetch']);
    const [lookup, stat] = process.jobs;
    assert.deepEqual(
      process.operations.map(({ name }) => name),
      ['fetch', 'fs.promises.stat'],
    );
    assert.deepEqual([lookup?.kind, lookup?.operation, lookup?.cause], ['dns.lookup', 0, 'other']);
    assert.deepEqual([stat?.kind, stat?.operation], ['fs.stat', 1]);
    assert.equal(stat?.cause, 'socket');
    assert.ok((process.operations[0]?.endMs ?? 0) >= (lookup?.callbackMs ?? Number.POSITIVE_INFINITY));
  });

  test('a client’s request: its lookup is an operation, and what its answer leads to comes from a socket', async () => {
    const { process } = await traced([globalThis.process.execPath, program, 'http request']);
    assert.deepEqual(
      process.jobs.map(({ kind, cause }) => [kind, cause]),
      [
        ['dns.lookup', 'other'],
        ['fs.stat', 'socket'],
      ],
    );
    assert.deepEqual(
      process.operations.map(({ name }) => name),
      ['dns.lookup', 'fs.stat'],
    );
  });

  test('a copied tree and a tree that is listed are one operation each', async () => {
    const { process } = await traced([globalThis.process.execPath, program, 'copy']);
    assert.deepEqual(
      process.operations.map(({ name }) => name),
      ['fs.promises.cp', 'fs.promises.readdir'],
    );
    assert.ok(process.jobs.every(({ operation }) => operation !== null));
  });

  test('a program with hooks and storages of its own', async () => {
    const { process, output } = await traced([globalThis.process.execPath, program, 'its own hooks']);
    assert.match(output, /^store 7, hooks true$/m);
    assert.deepEqual(told(process), ['fs.promises.stat: fs.stat < other', 'fs.lstat: fs.lstat < timer 0']);
  });

  test('the jobs of a Worker are its own', async () => {
    const { process } = await traced([globalThis.process.execPath, program, 'worker']);
    const own = process.jobs.filter(({ loopThread }) => loopThread !== process.pid);
    assert.deepEqual(told({ ...process, jobs: own }), readFile('fs.promises.readFile'));
  });
});

test('the program sees its functions as they were', linux, async () => {
  const command = [fixture('trace/calls/unnoticed.mjs')];
  const options = { encoding: 'utf8', maxBuffer: 1e8 } as const;
  const { stdout } = spawnSync(process.execPath, command, options);
  const { output } = await traced([process.execPath, ...command]);
  const line = output.split('\n').find((text) => text.startsWith('[[')) ?? '';
  assert.deepEqual(JSON.parse(line), JSON.parse(stdout));
});

describe('trace events are fetched', linux, () => {
  const preload = fileURLToPath(new URL('../../dist/trace/child/preload.cjs', import.meta.url));
  /** How often a recorder fetched while a program computed for two seconds after it had done something else. */
  const fetches = (first: string): number => {
    const directory = mkdtempSync(join(tmpdir(), 'plimsoll-test-'));
    try {
      const code = `${first}; setTimeout(() => { const end = performance.now() + 2000; (function turn() {
        const until = performance.now() + 10; while (performance.now() < until); if (until < end) setImmediate(turn); })(); }, 100)`;
      const run = spawnSync(process.execPath, ['--require', preload, '-e', code], {
        env: { ...process.env, PLIMSOLL_TRACE: JSON.stringify({ directory, maxEvents: 1e6, sampleMs: 50 }) },
      });
      assert.equal(run.status, 0, String(run.stderr));
      const text = readdirSync(directory).map((file) => readFileSync(join(directory, file), 'utf8'));
      return text.join('').split('"type":"gap"').length - 1;
    } finally {
      rmSync(directory, { recursive: true });
    }
  };

  // Each fetch leaves two gaps. Once a second, or for every 40 ms of CPU, of which a starved loop gets fewer.
  test('once a second where hooks count all jobs', () => {
    const count = fetches("require('crypto').pbkdf2('a', 'b', 1, 8, 'sha1', () => {})");
    assert.ok(count <= 12, `${count} gaps`);
  });

  test('more often where something gives the pool jobs that are not counted', () => {
    const worker =
      "new (require('worker_threads').Worker)('setInterval(() => {}, 9999)', { eval: true }).unref()";
    for (const first of [worker, "require('fs').opendir('.', (_, d) => d.close(() => {}))"]) {
      const count = fetches(first);
      assert.ok(count >= 20, `${count} gaps after ${first}`);
    }
  });
});
