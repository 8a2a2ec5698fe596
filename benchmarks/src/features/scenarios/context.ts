import { createHook } from 'node:async_hooks';
import { channelsMade } from '../channels.js';
import type { Open } from '../driver.js';
import { fact, judge, type Outcome } from '../outcome.js';
import { storage } from '../tasks.js';
import { isOver, until, watch } from '../time.js';

/** Two callers at a time, each with a store of its own. */
export async function storeAfter(open: Open): Promise<Outcome> {
  const pool = open(2);
  const seen = { awaited: 0, chained: 0, failed: 0 };
  const callers = ['one', 'two'].map((caller) =>
    storage.run(caller, async () => {
      await pool.submit('where');
      if (storage.getStore() === caller) seen.awaited++;
      const told = pool.submit('where').then(() => {
        if (storage.getStore() === caller) seen.chained++;
      });
      await told;
      try {
        await pool.submit('noSuchFunction');
      } catch {
        if (storage.getStore() === caller) seen.failed++;
      }
    }),
  );
  await Promise.all(callers);
  return judge(
    [fact(seen.awaited === 2, "after `await` it is the caller's", "after `await` it is not the caller's")],
    [
      fact(seen.failed === 2, 'also when the task failed', 'it is not when the task failed'),
      fact(seen.chained === 2, 'and in `then()`', 'in `then()` it is not'),
    ],
  );
}

export async function storeInWorker(open: Open): Promise<Outcome> {
  const pool = open(1);
  const calls = ['one', 'two'].map((caller) =>
    storage.run(caller, () => pool.submit('store') as Promise<unknown>),
  );
  const stores = await Promise.all(calls);
  return judge([
    fact(
      stores.join() === 'one,two',
      'two tasks in a row saw the store of their caller each',
      `the worker saw ${stores.map((store) => String(store)).join(' and ')}`,
    ),
  ]);
}

/** What one can hear of a task without asking the pool: channels that the pool makes, resources of `async_hooks`. */
export async function taskEvents(open: Open, library: string): Promise<Outcome> {
  const types = new Set<string>();
  const hook = createHook({ init: (_id, type) => void types.add(type) }).enable();
  const pool = open(1);
  const done = watch(pool.submit('where'));
  await until(() => isOver(done));
  hook.disable();
  const own = [...types].filter((type) => type.toLowerCase().includes(library));
  const task = own.find((type) => /task/i.test(type));
  return judge(
    [
      fact(
        task !== undefined,
        `\`async_hooks\` tells when a \`${task}\` begins and ends`,
        'there is no resource of `async_hooks` for a task either',
      ),
    ],
    [fact(channelsMade.size > 0, [...channelsMade].join(), 'no channel of `diagnostics_channel` was made')],
  );
}

const EVENTS = ['queued', 'started', 'settled'] as const;

/** @param subscribe to the channel of such an event */
export async function channelEvents(
  open: Open,
  subscribe: (event: string, told: () => void) => void,
): Promise<Outcome> {
  const told: string[] = [];
  for (const event of EVENTS) subscribe(event, () => told.push(event));
  const pool = open(1);
  const done = watch(pool.submit('where'));
  await until(() => isOver(done) && told.length === EVENTS.length, 2000);
  return judge([
    fact(
      told.join() === EVENTS.join(),
      'a task was told of when it was queued, started and settled, in this order',
      `of a task was told: ${told.join() || 'nothing'}`,
    ),
  ]);
}
