import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { buildSync, type Format } from 'esbuild';

const HERE = dirname(fileURLToPath(import.meta.url));

/** Exports a pool and what a caller may ask of the package; `FILE` stands for the worker file. */
const HOST = `
import { AbortError, Pool, PoolError, TimeoutError, UncloneableError } from '@plimsoll/pool';
export { AbortError, Pool, PoolError, TimeoutError, UncloneableError };
export const open = () => new Pool({ filename: FILE, minThreads: 1, maxThreads: 1, workerData: 'data' });
`;

/** A program that is its own worker file. */
const ALONE = `
import { Pool } from '@plimsoll/pool';
import { isWorkerThread } from '@plimsoll/pool/worker';
export const add = ({ a, b }) => a + b;
if (!isWorkerThread) {
  const pool = new Pool({ filename: import.meta.url, name: 'add', minThreads: 1, maxThreads: 1 });
  pool.run({ a: 4, b: 6 }).then(async (sum) => {
    await pool.close();
    console.log(JSON.stringify(sum));
  });
}
`;

/** Brings a copy of the package of its own. */
const WORKER = `
import { PoolError } from '@plimsoll/pool';
import { isWorkerThread, workerData } from '@plimsoll/pool/worker';
export const add = ({ a, b }) => a + b;
export const double = (bytes) => bytes.map((byte) => 2 * byte);
export const about = () => ({ isWorkerThread, workerData });
export const block = () => { for (;;) globalThis.turns = (globalThis.turns ?? 0) + 1; };
export const fail = () => { throw new PoolError('PLIMSOLL_POOL_CLOSED', 'by the worker'); };
`;

let folder: string;

before(() => {
  folder = mkdtempSync(join(tmpdir(), 'plimsoll-bundled-'));
  bundle(WORKER, 'tasks.mjs', 'esm');
  const url = "new URL('./tasks.mjs', import.meta.url)";
  bundle(HOST.replace('FILE', url), 'host.mjs', 'esm');
  bundle(HOST.replace('FILE', url), 'other.mjs', 'esm');
  bundle(HOST.replace('FILE', "__dirname + '/tasks.mjs'"), 'host.cjs', 'cjs');
});
after(() => rmSync(folder, { recursive: true }));

/** One file with all that it imports, and every name shortened that can be. */
function bundle(contents: string, outfile: string, format: Format): void {
  const common = {
    bundle: true,
    minify: true,
    platform: 'node',
    target: 'node20',
    logLevel: 'warning',
  } as const;
  buildSync({ ...common, stdin: { contents, resolveDir: HERE }, format, outfile: join(folder, outfile) });
}

/** What a program beside the bundles prints, as JSON. */
async function printedBy(lines: string): Promise<unknown> {
  const program = join(folder, 'program.mjs');
  writeFileSync(program, lines);
  const { stdout } = await promisify(execFile)(process.execPath, [program], { timeout: 240_000 });
  return JSON.parse(stdout);
}

for (const host of ['host.mjs', 'host.cjs']) {
  test(`${host}: a minified bundle has the worker's code in it, and errors keep their names`, async () => {
    const printed = await printedBy(`
      import * as host from './${host}';
      const { AbortError, PoolError, TimeoutError, UncloneableError, open } = host;
      const pool = open();
      const run = (name, task, options) => pool.run(task, { ...options, name }).catch((error) => error);
      const facts = [await run('add', { a: 4, b: 6 }), (await run('double', new Uint8Array(2 ** 20).fill(3))).every((byte) => byte === 6), await run('about')];
      const errors = [
        [await run('block', 0, { timeout: 50 }), TimeoutError],
        [await run('add', 0, { signal: AbortSignal.abort() }), AbortError],
        [await run('add', { f() {} }), UncloneableError],
        [await run('missing'), PoolError],
        [await run('fail'), PoolError],
      ].map(([error, Class]) => [error instanceof Class, error instanceof PoolError, error.name, Class.name, error.constructor.name, error.code]);
      await pool.close();
      console.log(JSON.stringify({ facts, errors }));
    `);
    const kept = (name: string, code: string): unknown[] => [
      true,
      true,
      name,
      name,
      name,
      `PLIMSOLL_POOL_${code}`,
    ];
    assert.deepEqual(printed, {
      facts: [10, true, { isWorkerThread: true, workerData: 'data' }],
      errors: [
        kept('TimeoutError', 'TIMEOUT'),
        kept('AbortError', 'ABORTED'),
        kept('UncloneableError', 'UNCLONEABLE'),
        kept('PoolError', 'LOAD_FAILED'),
        kept('PoolError', 'CLOSED'),
      ],
    });
  });
}

test('a bundle of one file is the program and its worker file', async () => {
  bundle(ALONE, 'alone.mjs', 'esm');
  assert.equal(await printedBy("import './alone.mjs';"), 10);
});

test('two bundles and the package itself live in one process, and know the errors of one another', async () => {
  const printed = await printedBy(`
    import * as one from './host.mjs';
    import * as other from './other.mjs';
    import * as third from ${JSON.stringify(import.meta.resolve('@plimsoll/pool'))};
    const pools = [one.open(), other.open()];
    const sums = await Promise.all(pools.map((pool) => pool.run({ a: 4, b: 6 }, { name: 'add' })));
    const error = await pools[0].run(0, { name: 'missing' }).catch((error) => error);
    await Promise.all(pools.map((pool) => pool.close()));
    console.log(JSON.stringify([sums, [one, other, third].map(({ PoolError }) => error instanceof PoolError), one.Pool === other.Pool]));
  `);
  assert.deepEqual(printed, [[10, 10], [true, true, true], false]);
});
