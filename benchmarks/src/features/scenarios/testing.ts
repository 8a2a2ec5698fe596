import type { Driver } from '../driver.js';
import { happened } from '../log.js';
import { fact, judge, type Outcome } from '../outcome.js';
import { isOver, reasonOf, settledWithin, until, watch } from '../time.js';

/**
 * A test that ends a thread by hand while a task runs in it.
 *
 * @param lacks that there is no other way
 */
export async function endedByHand(pool: Driver, end: () => unknown, lacks: string): Promise<Outcome> {
  const task = watch(pool.submit('beat', 'victim'));
  await until(() => happened('beat victim'));
  await end();
  await until(() => isOver(task), 2000);
  return judge(
    [
      fact(
        task.state === 'rejected',
        'a test can terminate a thread of `threads`, which fails its task',
        'a thread that a test terminates leaves its task unsettled',
      ),
    ],
    [fact(false, '', `it cannot choose a call that dies or hangs: ${lacks}`)],
  );
}

const LABELS = ['a', 'b', 'c', 'd', 'e', 'f'];

/** @param open a pool of two workers with such a seed */
export async function inProcess(open: (seed: number) => Promise<Driver>): Promise<Outcome> {
  const here = (await (await open(1)).submit('onMainThread')) === true;
  const orders: string[] = [];
  for (const seed of [1, 1, 2, 3, 4, 5]) {
    const pool = await open(seed);
    const order: string[] = [];
    await Promise.all(
      LABELS.map(async (label) => {
        await pool.submit('mark', label);
        order.push(label);
      }),
    );
    orders.push(order.join(' '));
  }
  const [first, again] = orders;
  return judge(
    [fact(here, 'its tasks run on the thread of the test', 'its tasks run on other threads')],
    [
      fact(
        first === again,
        `a seed gives the same order each time (${first})`,
        'the order is left to chance',
      ),
      fact(new Set(orders).size > 1, 'other seeds give others', 'there is no other order to try'),
    ],
  );
}

/** @param inject lets the n-th call of a function from now on go wrong */
export async function injected(
  pool: Driver,
  inject: (kind: 'crash' | 'hang', name: string, nth: number) => unknown,
): Promise<Outcome> {
  inject('crash', 'mark', 2);
  const calls = [];
  for (const label of ['first', 'second', 'third'])
    calls.push(await settledWithin(2000, pool.submit('mark', label)));
  inject('hang', 'where', 1);
  const hung = await settledWithin(500, pool.submit('where'));
  return judge(
    [
      fact(
        calls.map(({ state }) => state).join() === 'fulfilled,rejected,fulfilled',
        `a test chose the second call of a function to end its worker (${reasonOf(calls[1]?.error)})`,
        'a chosen call did not end its worker',
      ),
    ],
    [fact(hung.state === 'pending', 'and one to hang', 'no call can be made to hang')],
  );
}
