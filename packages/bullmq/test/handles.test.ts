import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { fixture, folderFor, LONG, needsRedis, queueName, startRedis } from './support.js';

const redis = await startRedis();
const DIST = new URL('../dist/node/index.js', import.meta.url).href;

/** Runs a program that has to end by itself. Returns what it printed, and what it left in its folder for temporary files. */
async function ran(
  t: TestContext,
  body: string,
  url = redis.url,
): Promise<{ printed: string; errors: string; left: string[] }> {
  const folder = folderFor(t);
  const temporary = join(folder, 'tmp');
  mkdirSync(temporary);
  const file = join(folder, 'program.mjs');
  const head = `import { createFleet, createFleetWorker } from ${JSON.stringify(DIST)};
    const [, , url, queue, filename] = process.argv;
    const options = { queue, connection: url, offlineTimeout: ${LONG} };
    const make = (more) => createFleetWorker({ ...options, filename, threads: 2, ...more });
    process.on('unhandledRejection', (error) => { console.log('unhandled', error); process.exitCode = 1; });`;
  writeFileSync(file, `${head}\n${body}`);
  const args = [file, url, queueName(), fileURLToPath(fixture('tasks.mjs'))];
  const env = { ...process.env, TMPDIR: temporary };
  const { stdout, stderr } = await promisify(execFile)(process.execPath, args, { env, timeout: LONG });
  return { printed: stdout.trim(), errors: stderr, left: readdirSync(temporary) };
}

const clean = (printed: string): object => ({ printed, errors: '', left: [] });

test(
  'a program that closes its fleet and its worker ends by itself, and leaves nothing',
  needsRedis,
  async (t) => {
    const body = `const worker = make({ health: 0 });
    const fleet = createFleet(options);
    await Promise.all([worker.ready(), fleet.ready()]);
    const results = await Promise.all([1, 2, 3].map((each) => fleet.run(each)));
    await fleet.close();
    await worker.close();
    console.log(results.join());`;
    assert.deepEqual(await ran(t, body), clean('2,4,6'));
  },
);

test('one that closes them by force while tasks run and wait ends, too', needsRedis, async (t) => {
  const body = `const worker = make();
    const fleet = createFleet(options);
    const tasks = [1, 2, 3].map((value) => fleet.run({ ms: 3_600_000, value }, { name: 'later' }));
    tasks.push(fleet.run(1, { timeout: 60_000, signal: new AbortController().signal }));
    const settled = Promise.allSettled(tasks);
    await worker.ready();
    while (worker.health.running < 2) await new Promise((resolve) => setTimeout(resolve, 10));
    await fleet.close({ force: true });
    await worker.close({ force: true });
    console.log((await settled).map(({ reason }) => reason.code).join());`;
  const code = 'PLIMSOLL_POOL_ABORTED';
  assert.deepEqual(await ran(t, body), clean([code, code, code, code].join()));
});

test('one that closes them before they are ready ends, too', needsRedis, async (t) => {
  const body = `const worker = make();
    const fleet = createFleet(options);
    await Promise.all([fleet.close(), worker.close()]);
    console.log('closed');`;
  assert.deepEqual(await ran(t, body), clean('closed'));
});

test('one whose Redis does not listen ends when it has closed them', async (t) => {
  const body = `const worker = make({ offlineTimeout: 300 });
    const fleet = createFleet({ ...options, offlineTimeout: 300 });
    const codes = await Promise.all([worker.ready(), fleet.ready(), fleet.run(1)].map((each) => each.catch(({ code }) => code)));
    await Promise.all([fleet.close(), worker.close()]);
    console.log(new Set(codes).size, codes[0]);`;
  const gone = await ran(t, body, 'redis://127.0.0.1:1');
  assert.deepEqual(gone, clean('1 PLIMSOLL_FLEET_UNAVAILABLE'));
});

test('one whose Redis is gone when it closes them ends, too', needsRedis, async (t) => {
  const body = `import { connect, createServer } from 'node:net';
    const sockets = [];
    const line = createServer((client) => {
      const server = connect(new URL(url).port, '127.0.0.1');
      sockets.push(client.on('error', () => {}), server.on('error', () => {}));
      client.pipe(server).pipe(client);
    });
    await new Promise((resolve) => line.listen(0, '127.0.0.1', resolve));
    options.connection = 'redis://127.0.0.1:' + line.address().port;
    const worker = make({ closeTimeout: 300 });
    const fleet = createFleet({ ...options, closeTimeout: 300 });
    await Promise.all([worker.ready(), fleet.ready()]);
    await fleet.run(1);
    const offline = [worker, fleet].map((one) => new Promise((resolve) => one.once('offline', resolve)));
    line.close();
    for (const socket of sockets) socket.destroy();
    await Promise.all(offline);
    const lost = fleet.run(2).catch(({ code }) => code);
    await Promise.all([fleet.close(), worker.close()]);
    console.log(await lost);`;
  assert.deepEqual(await ran(t, body), clean('PLIMSOLL_POOL_CLOSED'));
});
