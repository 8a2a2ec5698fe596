import assert from 'node:assert/strict';
import { isBuiltin } from 'node:module';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { IS_LINUX, runNode } from './support.js';

const skip = !IS_LINUX;
const dist = (file: string): string => fileURLToPath(new URL(`../dist/node/${file}`, import.meta.url));
const [INDEX, ALONE] = ['index.cjs', 'resize.cjs'].map(dist) as [string, string];
const require = (file: string): string => `require(${JSON.stringify(file)})`;

async function evaluate(script: string, flags: readonly string[] = []): Promise<unknown> {
  const { stdout, stderr } = await runNode([...flags, '-e', script]);
  assert.equal(stderr.replaceAll(/^.*(Warning|trace-warnings).*\n/gm, ''), '');
  return JSON.parse(stdout);
}

const IN_A_WORKER = `
  const { threadPool } = ${require(ALONE)};
  const { parentPort } = require('node:worker_threads');
  void (async () => {
    const first = await threadPool.resize(2);
    const { size, limit, slowLimit } = threadPool;
    parentPort.postMessage([first, size, limit, slowLimit, await threadPool.resize(3)]);
  })();`;
const LIMIT = isBuiltin('node:ffi') ? 1024 : 4;

test('a Worker resizes, although the main thread has not loaded this and is busy', { skip }, async () => {
  const result = await evaluate(`
    const { Worker } = require('node:worker_threads');
    const worker = new Worker(${JSON.stringify(IN_A_WORKER)}, { eval: true });
    worker.on('message', (sizes) => console.log(JSON.stringify(sizes)));
    worker.on('online', () => { for (const end = Date.now() + 300; Date.now() < end; ); });`);
  assert.deepEqual(result, [2, 2, LIMIT, 1, 3]);
});

test('what one Worker has set is there after it, and another copy knows it', { skip }, async () => {
  const result = await evaluate(`
    const { Worker } = require('node:worker_threads');
    const worker = new Worker(${JSON.stringify(IN_A_WORKER)}, { eval: true });
    worker.on('exit', async () => {
      const copies = [${require(ALONE)}, ${require(INDEX)}];
      const sizes = copies.map(({ threadPool }) => threadPool.size);
      await copies[0].threadPool.resize(1);
      await Promise.all(copies.map(({ threadPool }) => threadPool.resize(2)));
      const own = Object.getOwnPropertySymbols(process).filter(({ description }) => description.includes('plimsoll'));
      console.log(JSON.stringify([sizes, copies.map(({ threadPool }) => threadPool.size), own.length]));
    });`);
  assert.deepEqual(result, [[3, 3], [2, 2], 1]);
});

test('its text works where there is no require, as a debugger evaluates it', { skip }, async () => {
  const result = await evaluate(`
    const { Session } = require('node:inspector');
    const text = require('node:fs').readFileSync(${JSON.stringify(ALONE)}, 'utf8');
    const session = new Session();
    session.connect();
    const expression = \`(() => { const module = { exports: {} }; let exports = module.exports;
      \${text}
      return module.exports.threadPool.resize(2); })()\`;
    session.post('Runtime.evaluate', { expression, awaitPromise: true }, (_, { result }) => {
      session.disconnect();
      console.log(JSON.stringify(result.value));
    });`);
  assert.equal(result, 2);
});

test('what --permission forbids is not done, and named', { skip }, async () => {
  const flag = Number.parseInt(process.versions.node, 10) < 22 ? '--experimental-permission' : '--permission';
  const script = `
    const { threadPool } = ${require(INDEX)};
    threadPool.resize(2).then(String, ({ code, message }) => message + ' ' + code)
      .then((text) => console.log(JSON.stringify([text, threadPool.resizing, threadPool.reason])));`;
  const flags = [flag, '--allow-fs-read=*'];
  const [refused, , why] = (await evaluate(script, flags)) as string[];
  assert.match(
    refused as string,
    /^this pool cannot be resized: .*restricted.* PLIMSOLL_MONITOR_RESIZE_UNAVAILABLE$/s,
  );
  assert.equal(why, '--permission without --allow-worker');
  const [forbidden, how, reason] = (await evaluate(script, [...flags, '--allow-worker'])) as unknown[];
  assert.match(forbidden as string, /--permission without --allow-child-process and --allow-fs-write/);
  assert.deepEqual([how, (reason as string).startsWith('no FIFO could be created')], [false, true]);
});

test('nothing is done to a process that only asks what there is', { skip }, async () => {
  const result = await evaluate(`
    const { threadPool } = ${require(INDEX)};
    const { size, slowLimit, limit, resizing } = threadPool;
    console.log(JSON.stringify([size === undefined, slowLimit === undefined, limit, resizing, process.listenerCount('exit')]));`);
  assert.deepEqual(result, [true, true, LIMIT, LIMIT === 1024 ? 'threads' : 'parking', 0]);
});

// The inspector starts the engine wherever the program is: often between the last look at the queue of ticks and the note that it is
// empty, as here the main thread does nothing else.
test('a Worker resizes while the main thread works off ticks, and ticks go on', { skip }, async () => {
  const ticks = `
    const { Worker } = require('node:worker_threads');
    const worker = new Worker(${JSON.stringify(IN_A_WORKER)}, { eval: true });
    const turn = () => {
      process.nextTick(() => {});
      immediate = setImmediate(turn);
    };
    let immediate = setImmediate(turn);
    worker.on('exit', () => {
      clearImmediate(immediate);
      let hasTicked = false;
      process.nextTick(() => { hasTicked = true; });
      setTimeout(() => console.log(hasTicked), 20);
    });`;
  const results: unknown[] = [];
  for (let run = 0; run < 12; run++) results.push(await evaluate(ticks, ['--no-opt']));
  assert.deepEqual(new Set(results), new Set([true]));
});
