import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import {
  fixture,
  fleetFor,
  needsRedis,
  PATIENT,
  queueName,
  startRedis,
  WorkerProcess,
  within,
} from './support.js';

const redis = await startRedis();
const HOUR = 3_600_000;

/** Loaded before everything else: a clock that is so many milliseconds ahead. */
const ahead = (milliseconds: number): string =>
  `--import="data:text/javascript,const{now}=Date;Date.now=()=>now()+${milliseconds}"`;

for (const [what, old, recent] of [
  ['ahead', HOUR, 0],
  ['behind', 0, -HOUR],
] as const) {
  test(`a hand-over does not wait for clocks: an hour ${what}`, needsRedis, async (t) => {
    const queue = queueName();
    const start = async (file: string, skew: number): Promise<WorkerProcess> => {
      const args = [
        '--queue',
        queue,
        '--filename',
        fileURLToPath(fixture(file)),
        '--threads',
        '2',
        ...PATIENT,
      ];
      const worker = new WorkerProcess(args, { REDIS_URL: redis.url, NODE_OPTIONS: ahead(skew) });
      t.after(() => worker.kill('SIGKILL'));
      return worker.ready();
    };
    await Promise.all([start('older.mjs', old), start('tasks.mjs', recent)]);
    const fleet = fleetFor(t, redis.url, { queue });
    for (let value = 0; value < 3; value++)
      assert.equal(await within(fleet.run({ a: value, b: 1 }, { name: 'add' })), value + 1);
  });
}
