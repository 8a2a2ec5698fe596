import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ByPriority, Fifo, type Pending } from '../dist/host/queue.js';
import { type Extras, SETTLED, Task, WAITING } from '../dist/host/task.js';

type Step = 'push' | 'pushWatched' | 'unshift' | 'shift' | 'settle';

const steps = fc.array(
  fc.record({
    step: fc.constantFrom<Step>('push', 'push', 'pushWatched', 'unshift', 'shift', 'settle'),
    times: fc.integer({ min: 1, max: 90 }),
    priority: fc.integer({ min: -1, max: 1 }),
  }),
  { maxLength: 30 },
);

/** Everything that a queue must give back as it was. */
interface Expected {
  readonly value: string;
  readonly handler: number;
  readonly created: number;
  readonly resolve: Task['resolve'];
  readonly priority: number;
  /** Only of a task that may be settled while it waits. */
  readonly watched: Task | undefined;
}

class Twin {
  private readonly expected: Expected[] = [];
  private count = 0;
  private readonly queue: Pending;
  private readonly ordered: boolean;

  constructor(queue: Pending, ordered: boolean) {
    this.queue = queue;
    this.ordered = ordered;
  }

  do(step: Step, times: number, priority: number): void {
    for (let time = 0; time < times; time++) {
      if (step === 'shift') this.shift();
      else if (step === 'settle') this.settle(time);
      else this.add(step, priority);
    }
    assert.equal(this.queue.size, this.expected.length);
  }

  private add(step: Step, priority: number): void {
    const id = this.count++;
    const resolve = (): void => {};
    const isWatched = step === 'pushWatched' || this.ordered;
    const extras: Extras = {
      transfer: [],
      abortable: true,
      priority,
      original: undefined,
      release: undefined,
    };
    const task = new Task(`value ${id}`, id, id / 8, resolve, isWatched ? extras : undefined);
    const own: Expected = {
      value: `value ${id}`,
      handler: id,
      created: id / 8,
      resolve,
      priority: isWatched && this.ordered ? priority : 0,
      watched: isWatched ? task : undefined,
    };
    if (step === 'unshift') this.queue.unshift(task);
    else this.queue.push(task);
    const before = this.expected.findIndex(({ priority: other }) =>
      step === 'unshift' ? other <= own.priority : other < own.priority,
    );
    this.expected.splice(before === -1 ? this.expected.length : before, 0, own);
    task.state = WAITING;
  }

  private shift(): void {
    const task = this.queue.shift();
    const own = this.expected.shift();
    if (own === undefined || task === undefined) {
      assert.equal(task, own);
      return;
    }
    const { value, handler, created, resolve, extras } = task;
    assert.deepEqual([value, handler, created], [own.value, own.handler, own.created]);
    assert.equal(resolve, own.resolve);
    if (own.watched === undefined) assert.equal(extras, undefined);
    else assert.equal(task, own.watched);
  }

  /** As an abort does, which knows its task by the object. */
  private settle(nth: number): void {
    const watched = this.expected.filter((own) => own.watched !== undefined);
    const own = watched[(nth * 7) % watched.length];
    if (own?.watched === undefined) return;
    own.watched.state = SETTLED;
    this.expected.splice(this.expected.indexOf(own), 1);
    this.queue.forget(own.watched);
  }

  empty(): void {
    while (this.expected.length > 0) this.shift();
    assert.equal(this.queue.shift(), undefined);
    assert.equal(this.queue.size, 0);
  }
}

for (const [name, make, ordered] of [
  ['a queue', () => new Fifo(), false],
  ['a queue by priority', () => new ByPriority(), true],
] as const) {
  test(`${name} gives every task back as it was, in order, without those that were settled meanwhile`, () => {
    fc.assert(
      fc.property(steps, (program) => {
        const twin = new Twin(make(), ordered);
        for (const { step, times, priority } of program) twin.do(step, times, priority);
        twin.empty();
      }),
    );
  });
}

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
