import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { folderFor, LONG, needsRedis, queueName, startRedis } from './support.js';

const redis = await startRedis();
const MODULES = fileURLToPath(new URL('../../../node_modules', import.meta.url));

const FILES = {
  'worker.cjs': 'exports.add = ({ a, b }) => a + b; exports.pair = (a, b) => [b, a];',
  'states.cjs': `(async () => {
    const required = require('@plimsoll/bullmq');
    const imported = await import('@plimsoll/bullmq');
    const { PoolError } = await import('@plimsoll/pool');
    const differing = Object.keys(imported).filter((name) => name !== 'default' && name !== 'module.exports' && required[name] !== imported[name]);
    const { code } = await required.createFleet({ queue: 'q', connection: 'redis://127.0.0.1:1', offlineTimeout: 1 }).ready().catch((error) => error);
    const fleet = imported.createFleet({ queue: 'q', connection: 'redis://127.0.0.1:1' });
    void fleet.close();
    const isOne = (await fleet.run(1).catch((error) => error)) instanceof PoolError;
    console.log(JSON.stringify({ differing, isOne, code }));
    process.exit();
  })();`,
  'host.cjs': `(async () => {
    const { createFleet, createFleetWorker } = require('@plimsoll/bullmq');
    const [, , url, queue, file] = process.argv;
    const worker = createFleetWorker({ queue, connection: url, filename: __dirname + '/' + file, threads: 1 });
    const fleet = createFleet({ queue, connection: url });
    const sum = await fleet.run({ a: 4, b: 6 }, { name: 'add' });
    await fleet.close();
    await worker.close();
    console.log(JSON.stringify({ sum, names: worker.names }));
  })();`,
};

async function printed(t: TestContext, file: string, args: readonly string[] = []): Promise<unknown> {
  const folder = folderFor(t);
  for (const [name, text] of Object.entries(FILES)) writeFileSync(join(folder, name), text);
  symlinkSync(MODULES, join(folder, 'node_modules'), 'junction');
  const { stdout } = await promisify(execFile)(process.execPath, [join(folder, file), ...args], {
    timeout: LONG,
  });
  return JSON.parse(stdout) as unknown;
}

test('require and import give the same, over the same pool', async (t) => {
  assert.deepEqual(await printed(t, 'states.cjs'), {
    differing: [],
    isOne: true,
    code: 'PLIMSOLL_FLEET_UNAVAILABLE',
  });
});

test('a task module can be CommonJS', needsRedis, async (t) => {
  const { sum, names } = (await printed(t, 'host.cjs', [redis.url, queueName(), 'worker.cjs'])) as Record<
    string,
    unknown
  >;
  assert.equal(sum, 10);
  assert.deepEqual((names as string[]).filter((name) => ['add', 'pair'].includes(name)).sort(), [
    'add',
    'pair',
  ]);
});
