import type { Driver } from '../driver.js';
import { eventsOf } from '../log.js';
import type { Outcome } from '../outcome.js';
import { attempt, isOver, reasonOf, until } from '../time.js';

/** What a scenario saw of a pool that has no API for it. @throws when it was there all the same. */
export async function said(outcome: Promise<Outcome>): Promise<string> {
  const { answer, missing, seen } = await outcome;
  if (answer !== 'no') throw new Error(`it is there without an API: ${seen.join('; ')}`);
  return missing.join('; ');
}

/** What comes of a task that returns, or is given, what no pool has asked for. */
export async function fateOf(what: string, call: () => PromiseLike<unknown>): Promise<string> {
  const settled = attempt(call);
  await until(() => isOver(settled), 1500);
  if (settled.state === 'pending') return `${what}: the promise is never settled`;
  if (settled.state === 'rejected') return `${what}: ${reasonOf(settled.error)}`;
  const value = settled.value as object | null | undefined;
  const isIterable = value !== null && typeof value === 'object' && Symbol.asyncIterator in value;
  if (isIterable) throw new Error(`${what} came as an async iterable`);
  return `${what} comes as \`${JSON.stringify(value)}\``;
}

/** Where tasks of a pool run that is not told where. */
export async function runsAnywhere(pool: Driver, threads: number): Promise<string> {
  for (let index = 0; index < threads; index++) await pool.submit('mark', 'anywhere');
  const ran = new Set(eventsOf('ran anywhere').map(({ thread }) => thread)).size;
  return `${threads} calls for ${threads} workers ran in ${ran} of them, as it happened`;
}

/** @throws when tasks run on this thread. */
export async function runsElsewhere(pool: Driver): Promise<string> {
  if (await pool.submit('onMainThread')) throw new Error('a task ran on the thread of the test');
  return 'tasks run in workers only';
}
