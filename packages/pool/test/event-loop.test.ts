import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import fc from 'fast-check';
import { Pump, type Pumped } from '../dist/host/pump.js';
import { hostGate, mustWake, SLEEPING } from '../dist/shared/gate.js';
import { poolFor, until } from './support.js';

/** Far more tasks, each over at once, than fit into the half millisecond that the pump may hold the event loop. */
const MANY = 1_000_000;

test('the event loop turns although every task is over before the next one is submitted', async () => {
  let tasks = 0;
  let outstanding = 0;
  let turned = false;
  const pumped: Pumped = {
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
  const pump = new Pump(new Int32Array(new SharedArrayBuffer(4096)), pumped);
  const submit = (): void => {
    if (turned || ++tasks === MANY) return;
    outstanding++;
    pump.stateChanged();
  };
  submit();
  await new Promise((resolve) => setImmediate(resolve));
  turned = true;
  pump.stop();
  assert.ok(tasks < MANY, 'a million tasks in one turn of the event loop');
});

test('while workers keep every core busy, the host looks in further turns before it sleeps', async (t) => {
  const words = new Int32Array(new SharedArrayBuffer(4096));
  const pump = new Pump(words, {
    outstanding: 1,
    hasSpareCore: false,
    turn: () => 0,
    anythingDone: () => false,
    queued: 0,
    wakeWorkers() {},
    wakeIfAllSleep() {},
    wakeFurther() {},
  });
  t.after(() => pump.stop());
  pump.stateChanged();
  let turns = 0;
  for (; words[hostGate] !== SLEEPING && turns < 1000; turns++)
    await new Promise((resolve) => setImmediate(resolve));
  assert.ok(turns > 2 && turns < 1000, `asleep after ${turns} turns`);
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
  const pump = new Pump(words, pumped);
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
          pump.stateChanged();
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
