import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  fleetFor,
  needsRedis,
  processFor,
  queueName,
  startRedis,
  until,
  type WorkerProcess,
  within,
} from './support.js';

const redis = await startRedis();

type Place = { value: number; pid: number };

async function endedOf({ healthPort }: WorkerProcess): Promise<number> {
  const response = await fetch(`http://127.0.0.1:${healthPort}/health`);
  return ((await response.json()) as { ended: number }).ended;
}

/** Tasks, with how often the promise of each was settled. */
function submit(
  fleet: ReturnType<typeof fleetFor>,
  count: number,
  name: string,
): { tasks: Promise<Place>[]; settled: number[] } {
  const settled = new Array<number>(count).fill(0);
  const tasks = settled.map(async (_, value) => {
    const place = (await fleet.run(value, { name })) as Place;
    settled[value] = (settled[value] as number) + 1;
    return place;
  });
  return { tasks, settled };
}

test(
  '2,000 tasks on three processes: each ends once, with its value, and runs once',
  needsRedis,
  async (t) => {
    const queue = queueName();
    const fleet = fleetFor(t, redis.url, { queue });
    const args = ['--health', '0', '--lock-duration', '60000'];
    const workers = await Promise.all([0, 1, 2].map(() => processFor(t, redis.url, queue, args)));
    const { tasks, settled } = submit(fleet, 2_000, 'where');
    const places = await within(90_000, Promise.all(tasks));
    assert.ok(places.every(({ value }, index) => value === index));
    assert.ok(settled.every((times) => times === 1));
    assert.deepEqual([fleet.completed, fleet.pending], [2_000, 0]);
    const byProcess = workers.map(({ pid }) => places.filter((place) => place.pid === pid).length);
    assert.ok(Math.min(...byProcess) > 0, `tasks of each process: ${byProcess.join(', ')}`);
    const sumOf = (numbers: number[]): number => numbers.reduce((sum, each) => sum + each);
    assert.equal(sumOf(byProcess), 2_000);
    // A worker hears of the end of a job when the fleet does, or a little later.
    await until(async () => sumOf(await Promise.all(workers.map(endedOf))) >= 2_000, 'the last end');
    assert.deepEqual(await Promise.all(workers.map(endedOf)), byProcess);
    const { workers: entries, ...counts } = await fleet.stats();
    assert.deepEqual(counts, { waiting: 0, active: 0, delayed: 0, completed: 2_000, failed: 0 });
    assert.equal(entries.length, 3);
  },
);

test(
  '1,000 tasks while one of three processes is killed: each ends once, with its value',
  needsRedis,
  async (t) => {
    const queue = queueName();
    const fleet = fleetFor(t, redis.url, { queue });
    const args = ['--lock-duration', '3000', '--stalled-interval', '1000', '--threads', '2'];
    const workers = await Promise.all([0, 1, 2].map(() => processFor(t, redis.url, queue, args)));
    const { tasks, settled } = submit(fleet, 1_000, 'whereLater');
    await until(() => fleet.completed >= 300, '300 tasks');
    await workers[1]?.kill('SIGKILL');
    assert.ok(fleet.pending > 0, 'all tasks were done before the process was killed');
    const places = await within(60_000, Promise.all(tasks));
    assert.ok(places.every(({ value }, index) => value === index));
    assert.ok(settled.every((times) => times === 1));
    assert.deepEqual([fleet.completed, fleet.pending], [1_000, 0]);
    const pids = workers.map(({ pid }) => pid);
    assert.ok(places.every(({ pid }) => pids.includes(pid)));
    const { completed, failed, active, waiting } = await fleet.stats();
    assert.deepEqual(
      { completed, failed, active, waiting },
      { completed: 1_000, failed: 0, active: 0, waiting: 0 },
    );
  },
);
