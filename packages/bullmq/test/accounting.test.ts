import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import {
  fleetFor,
  folderFor,
  needsRedis,
  processFor,
  queueName,
  SOON,
  startRedis,
  until,
  type WorkerProcess,
  within,
  wordFor,
} from './support.js';

const redis = await startRedis();

type Place = { value: number; pid: number };

async function endedOf({ healthPort }: WorkerProcess): Promise<number> {
  const response = await fetch(`http://127.0.0.1:${healthPort}/health`);
  return ((await response.json()) as { ended: number }).ended;
}

/** Tasks, with how often the promise of each was settled. */
function submit(
  count: number,
  run: (value: number) => Promise<unknown>,
): { tasks: Promise<Place>[]; settled: number[] } {
  const settled = new Array<number>(count).fill(0);
  const tasks = settled.map(async (_, value) => {
    const place = (await run(value)) as Place;
    settled[value] = (settled[value] as number) + 1;
    return place;
  });
  return { tasks, settled };
}

const TASKS = 800;

test(
  `${TASKS} tasks on three processes: each ends once, with its value, and runs once`,
  needsRedis,
  async (t) => {
    const queue = queueName();
    const fleet = fleetFor(t, redis.url, { queue });
    const args = ['--health', '0', '--lock-duration', '60000'];
    const workers = await Promise.all([0, 1, 2].map(() => processFor(t, redis.url, queue, args)));
    // The first three wait for each other, so each process runs one of them.
    const file = join(folderFor(t), 'met');
    const { tasks, settled } = submit(TASKS, (value) =>
      value < 3
        ? fleet.run({ file, count: 3, value }, { name: 'meet' })
        : fleet.run(value, { name: 'where' }),
    );
    const places = await within(Promise.all(tasks));
    assert.ok(places.every(({ value }, index) => value === index));
    assert.ok(settled.every((times) => times === 1));
    assert.deepEqual([fleet.completed, fleet.pending], [TASKS, 0]);
    const byProcess = workers.map(({ pid }) => places.filter((place) => place.pid === pid).length);
    assert.ok(Math.min(...byProcess) > 0, `tasks of each process: ${byProcess.join(', ')}`);
    const sumOf = (numbers: number[]): number => numbers.reduce((sum, each) => sum + each);
    assert.equal(sumOf(byProcess), TASKS);
    // A worker hears of the end of a job when the fleet does, or a little later.
    await until(async () => sumOf(await Promise.all(workers.map(endedOf))) >= TASKS, 'the last end');
    assert.deepEqual(await Promise.all(workers.map(endedOf)), byProcess);
    const { workers: entries, ...counts } = await fleet.stats();
    assert.deepEqual(counts, { waiting: 0, active: 0, delayed: 0, completed: TASKS, failed: 0 });
    assert.equal(entries.length, 3);
  },
);

test(
  `${TASKS} tasks while one of three processes is killed: each ends once, with its value`,
  needsRedis,
  async (t) => {
    const queue = queueName();
    const fleet = fleetFor(t, redis.url, { queue });
    const args = [...SOON, '--threads', '2'];
    const workers = await Promise.all([0, 1, 2].map(() => processFor(t, redis.url, queue, args)));
    // The second half waits for a word, so every thread has one of them when the process is killed.
    const { when, give } = wordFor(t);
    const { tasks, settled } = submit(TASKS, (value) =>
      value < TASKS / 2
        ? fleet.run(value, { name: 'where' })
        : fleet.run({ value, when }, { name: 'whereTold' }),
    );
    await until(() => fleet.completed === TASKS / 2, 'the first half');
    await workers[1]?.kill('SIGKILL');
    give();
    const places = await within(Promise.all(tasks));
    assert.ok(places.every(({ value }, index) => value === index));
    assert.ok(settled.every((times) => times === 1));
    assert.deepEqual([fleet.completed, fleet.pending], [TASKS, 0]);
    const pids = workers.map(({ pid }) => pid);
    assert.ok(places.every(({ pid }) => pids.includes(pid)));
    const { completed, failed, active, waiting } = await fleet.stats();
    assert.deepEqual(
      { completed, failed, active, waiting },
      { completed: TASKS, failed: 0, active: 0, waiting: 0 },
    );
  },
);
