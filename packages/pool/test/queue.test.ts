import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { List, Queue } from '../dist/host/queue.js';
import { NO_EXTRAS, QUEUED, SETTLED, Task } from '../dist/host/task.js';

type Step = 'push' | 'putBack' | 'shift' | 'settle';

const steps = fc.array(
  fc.record({
    step: fc.constantFrom<Step>('push', 'push', 'putBack', 'shift', 'settle'),
    times: fc.integer({ min: 1, max: 90 }),
    priority: fc.integer({ min: -2, max: 2 }),
  }),
  { maxLength: 30 },
);

function taskOf(number: number, priority = 0): Task {
  const extras = priority === 0 ? undefined : { ...NO_EXTRAS, priority };
  const task = new Task(`value ${number}`, 0, 0, () => {}, extras);
  task.number = number;
  return task;
}

/** The same queue as a sorted array. */
class Twin {
  private readonly expected: Task[] = [];
  private readonly queue = new Queue();
  private readonly taken: Task[] = [];
  private last = 0;

  do(step: Step, times: number, priority: number): void {
    for (let time = 0; time < times; time++) {
      if (step === 'shift') this.shift();
      else if (step === 'settle') this.settle(time);
      else if (step === 'push') this.add(taskOf(++this.last, priority), step);
      else
        for (const task of this.taken.splice((time * 7) % (this.taken.length + 1), 1)) this.add(task, step);
    }
    assert.equal(this.queue.size, this.expected.length);
  }

  private add(task: Task, step: 'push' | 'putBack'): void {
    this.queue[step](task);
    task.place = QUEUED;
    this.expected.push(task);
    this.expected.sort((one, other) => other.priority - one.priority || one.number - other.number);
  }

  private shift(): void {
    const task = this.expected.shift();
    assert.equal(this.queue.shift(), task);
    if (task !== undefined) this.taken.push(task);
  }

  private settle(nth: number): void {
    const [task] = this.expected.splice((nth * 7) % Math.max(1, this.expected.length), 1);
    if (task === undefined) return;
    task.place = SETTLED;
    this.queue.remove(task);
  }

  empty(): void {
    assert.deepEqual([...this.queue], this.expected);
    while (this.expected.length > 0) this.shift();
    assert.equal(this.queue.shift(), undefined);
    assert.equal(this.queue.size, 0);
  }
}

test('a queue gives every task by priority and number, without those that were settled meanwhile', () => {
  fc.assert(
    fc.property(steps, (program) => {
      const twin = new Twin();
      for (const { step, times, priority } of program) twin.do(step, times, priority);
      twin.empty();
    }),
  );
});

test('a list keeps no memory for tasks that left while they waited', () => {
  const list = new List();
  const tasks = Array.from({ length: 10_000 }, (_, number) => taskOf(number));
  for (const task of tasks) list.push(task);
  for (const task of tasks.slice(1)) list.remove(task);
  assert.equal(list.size, 1);
  assert.ok(tasks.every(({ previous, next }) => previous === undefined && next === undefined));
  assert.deepEqual(list.takeAll(), tasks.slice(0, 1));
  assert.equal(list.size, 0);
});

test('a hundred thousand tasks with priorities of their own are put in order in no time', () => {
  const queue = new Queue();
  const before = process.cpuUsage();
  for (let number = 0; number < 100_000; number++) {
    const task = taskOf(number, 1 + ((number * 7919) % 99_991));
    task.place = QUEUED;
    queue.push(task);
  }
  let last = Number.POSITIVE_INFINITY;
  for (let task = queue.shift(); task !== undefined; task = queue.shift()) {
    assert.ok(task.priority <= last);
    last = task.priority;
  }
  // Half a second at most; where each takes as long as all before it, 16 s for a tenth of them.
  const { user, system } = process.cpuUsage(before);
  assert.ok(user + system < 20_000_000, `${(user + system) / 1e6} s`);
});

test('a task rejects by resolving with what rejects', async () => {
  for (const reason of [new Error('broken'), undefined, null, Promise.resolve(1)]) {
    const promise = new Promise((resolve) => new Task(0, 0, 0, resolve, undefined).reject(reason));
    // In an array, lest a reason that is a promise is waited for.
    const caught = await promise.then(
      () => assert.fail('fulfilled'),
      (error) => [error],
    );
    assert.equal(caught[0], reason);
  }
});

test('many tasks that are put back in their order cost no more than their number', () => {
  const list = new List();
  let looks = 0;
  const counted = (number: number): Task => {
    const get = (): number => {
      looks++;
      return number;
    };
    return Object.defineProperty(taskOf(number), 'number', { get });
  };
  for (let number = 1001; number <= 1100; number++) list.push(counted(number));
  for (let number = 1; number <= 1000; number++) list.putBack(counted(number));
  assert.ok(looks < 10_000, `${looks} looks`);
  assert.deepEqual(
    list.takeAll().map(({ number }) => number),
    Array.from({ length: 1100 }, (_, index) => index + 1),
  );
});
