import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import fc from 'fast-check';
import { Pump, type Pumped } from '../dist/host/pump.js';
import { hostGate, mustWake, SLEEPING } from '../dist/shared/gate.js';
import { timers as realTimers } from '../dist/shared/timers.js';
import { poolFor, until } from './support.js';

/** Far more tasks, each over at once, than fit into the half millisecond that the pump may hold the event loop. */
const MANY = 1_000_000;

test('the event loop turns although every task is over before the next one is submitted', async () => {
  let tasks = 0;
  let outstanding = 0;
  let turned = false;
  const pumped: Pumped = {
    words: new Int32Array(new SharedArrayBuffer(4096)),
    get outstanding() {
      return outstanding;
    },
    hasSpareCore: true,
    turn() {
      const ended = outstanding;
      outstanding = 0;
      if (ended > 0) void Promise.resolve().then(submit);
      return ended;
    },
    anythingDone: () => outstanding > 0,
    queued: 0,
    wakeWorkers() {},
    wakeIfAllSleep() {},
    wakeFurther() {},
  };
  const pump = new Pump(pumped);
  const submit = (): void => {
    if (turned || ++tasks === MANY) return;
    outstanding++;
    pump.submitted();
  };
  submit();
  await new Promise((resolve) => setImmediate(resolve));
  turned = true;
  pump.stop();
  assert.ok(tasks < MANY, 'a million tasks in one turn of the event loop');
});

/** What happens from outside, in any order: tasks are submitted, workers report some, the event loop turns. */
type Happening = { submit: number } | { report: number } | 'turn';

const happenings = fc.array(
  fc.oneof(
    fc.record({ submit: fc.integer({ min: 1, max: 20 }) }),
    fc.record({ report: fc.integer({ min: 1, max: 20 }) }),
    fc.constant('turn' as const),
  ),
  { maxLength: 12 },
);

test('before the host sleeps it has woken workers for all that it published; no report is left lying', async (t) => {
  await fc.assert(
    fc.asyncProperty(
      happenings,
      fc.nat({ max: 3 }),
      fc.boolean(),
      fc.integer({ min: 1, max: 4 }),
      (...args) => follow(t, ...args),
    ),
    {
      numRuns: 300,
    },
  );
});

/** @param late so often a report comes right before the host declares that it sleeps. */
async function follow(
  t: TestContext,
  script: readonly Happening[],
  late: number,
  hasSpareCore: boolean,
  atOnce: number,
): Promise<void> {
  const words = new Int32Array(new SharedArrayBuffer(4096));
  let unclaimed = 0;
  let running = 0;
  let reported = 0;
  let owed = false;
  const pumped: Pumped = {
    words,
    get outstanding() {
      return unclaimed + running + reported;
    },
    hasSpareCore,
    turn() {
      const ended = Math.min(reported, atOnce);
      reported -= ended;
      return ended;
    },
    anythingDone: () => reported > 0,
    wakeWorkers() {
      owed = false;
    },
    get queued() {
      return unclaimed;
    },
    wakeIfAllSleep() {},
    wakeFurther() {},
  };
  const pump = new Pump(pumped);
  const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  const check = (): void => {
    if (words[hostGate] === SLEEPING)
      assert.equal(owed, false, 'asleep, and a task that nobody was woken for');
  };
  const report = (count: number): void => {
    // Workers claim as they like: only how much has been reported matters to the host.
    const some = Math.min(count, unclaimed + running);
    running = unclaimed + running - some;
    unclaimed = 0;
    reported += some;
    if (some > 0 && mustWake(words, hostGate)) pump.woken();
  };
  t.mock.method(Atomics, 'store', (memory: Int32Array, word: number, value: number): number => {
    if (memory === words && word === hostGate && value === SLEEPING && late-- > 0) report(1);
    return Atomics.exchange(memory, word, value);
  });
  try {
    for (const happening of script) {
      check();
      if (happening === 'turn') await turn();
      else if ('report' in happening) report(happening.report);
      else
        for (let task = 0; task < happening.submit; task++) {
          unclaimed++;
          owed = true;
          pump.submitted();
        }
    }
    // Every report is read within a few turns of the event loop; a host that has forgotten one never reads it.
    for (let turns = 0; pumped.outstanding > 0 && turns < 2000; turns++) {
      report(Number.MAX_SAFE_INTEGER);
      await turn();
      check();
    }
  } finally {
    pump.stop();
    t.mock.restoreAll();
  }
  assert.equal(pumped.outstanding, 0);
}

describe('a host that has slept long', () => {
  /** A host with one task at a time; what it has been seen to do; the timers that it set, which fire only by hand. */
  function hostOf(t: TestContext) {
    const words = new Int32Array(new SharedArrayBuffer(4096));
    const seen = { outstanding: 0, reported: 0, looks: 0, wakes: 0 };
    const pump = new Pump({
      words,
      get outstanding() {
        return seen.outstanding;
      },
      hasSpareCore: true,
      turn() {
        seen.looks++;
        const ended = seen.reported;
        seen.outstanding -= ended;
        seen.reported = 0;
        return ended;
      },
      anythingDone: () => seen.reported > 0,
      queued: 0,
      wakeWorkers() {},
      wakeIfAllSleep: () => void seen.wakes++,
      wakeFurther() {},
    });
    t.after(() => pump.stop());
    const timers: { delay: number; fire: () => void }[] = [];
    const { setTimeout: real } = globalThis;
    const isAsleep = (): boolean => words[hostGate] === SLEEPING;
    return {
      pump,
      seen,
      timers,
      isAsleep,
      end() {
        seen.reported++;
        pump.woken();
      },
      /** Submits a task and waits until the host sleeps. */
      async sleep() {
        t.mock.method(realTimers, 'setTimeout', (fire: () => void, delay: number) => {
          timers.push({ delay, fire });
          return real(() => {}, 0);
        });
        seen.outstanding++;
        pump.submitted();
        while (!isAsleep()) await new Promise((resolve) => setImmediate(resolve));
        t.mock.restoreAll();
      },
      /** The task takes so many milliseconds, or more when the test is held up; returns how many. */
      async last(milliseconds: number): Promise<number> {
        const start = performance.now();
        await this.sleep();
        while (performance.now() < start + milliseconds);
        this.end();
        return performance.now() - start;
      },
    };
  }

  test('looks once in its next sleep, before that is as long, and sleeps on', async (t) => {
    const host = hostOf(t);
    const length = await host.last(100);
    await host.sleep();
    const [timer] = host.timers as [{ delay: number; fire: () => void }];
    assert.equal(host.timers.length, 1);
    assert.ok(timer.delay > 50 && timer.delay <= length - 1 && timer.delay % 1 === 0, String(timer.delay));
    const { looks, wakes } = host.seen;
    timer.fire();
    assert.deepEqual(
      { looks: host.seen.looks, wakes: host.seen.wakes },
      { looks: looks + 1, wakes: wakes + 1 },
    );
    assert.ok(host.isAsleep());
    host.end();
    assert.equal(host.seen.outstanding, 0);
  });

  test('does not look when it has been woken before that', async (t) => {
    const host = hostOf(t);
    await host.last(30);
    await host.sleep();
    host.end();
    const { looks } = host.seen;
    host.timers[0]?.fire();
    assert.equal(host.seen.looks, looks);
  });

  test('is awake with a result that it finds then: its wake-up may have been a message that was read with it', async (t) => {
    const host = hostOf(t);
    await host.last(30);
    await host.sleep();
    host.seen.outstanding++;
    host.seen.reported++;
    host.timers[0]?.fire();
    assert.ok(!host.isAsleep());
    // That of the next one, too.
    host.seen.reported++;
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(host.seen.outstanding, 0);
    const { looks } = host.seen;
    host.pump.woken();
    assert.equal(host.seen.looks, looks + 1);
    assert.ok(!host.isAsleep());
  });

  test('expects nothing after a short sleep', async (t) => {
    const host = hostOf(t);
    // A short one, unless the test is held up for that long; then another one.
    while ((await host.last(0)) >= 20);
    host.timers.length = 0;
    await host.sleep();
    assert.deepEqual(host.timers, []);
  });
});

test('a task does not wait for a worker whose event loop is busy with something else', async (t) => {
  const pool = poolFor(t, { minThreads: 2, maxThreads: 2 });
  const shared = new Int32Array(new SharedArrayBuffer(4));
  const busy = await pool.run({ shared, bit: 0 }, { name: 'blockLater' });
  await until(() => Atomics.load(shared, 0) === 1);
  // The worker that is woken first for a single task is the one that ran the task before.
  for (let round = 0; round < 3; round++) assert.notEqual(await pool.run(0, { name: 'threadOf' }), busy);
  Atomics.store(shared, 0, 0);
  Atomics.notify(shared, 0);
});
