import type { Driver } from '../driver.js';
import { events, eventsOf, happened, openGate } from '../log.js';
import { fact, judge, none, type Outcome } from '../outcome.js';
import { isOver, pause, settledWithin, until, watch } from '../time.js';

/** Worker files for this log `setup began`, `setup done`, `dispose began` and `dispose done` where the pool lets them. */
export async function setupDispose(pool: Driver, threads: number): Promise<Outcome> {
  const tasks = Array.from({ length: 4 * threads }, () => watch(pool.submit('mark', 'task')));
  await until(() => tasks.every(isOver));
  const order = events().map(({ what }) => what);
  const ready = order.indexOf('setup done');
  const users = new Set(eventsOf('ran task').map(({ thread }) => thread));
  const setups = eventsOf('setup done').map(({ thread }) => thread);
  const each = [...users].every((thread) => setups.filter((one) => one === thread).length === 1);
  if (pool.close !== undefined) await settledWithin(3000, pool.close());
  await until(() => happened('dispose done'), 1500);
  if (ready < 0 && !happened('dispose began')) return none('no hook that the worker file offers is called');
  return judge(
    [],
    [
      fact(
        ready >= 0 && ready < order.indexOf('ran task') && each,
        'each worker awaited its hook once, before the first task',
        'no hook is awaited before the first task',
      ),
      fact(
        happened('dispose done'),
        'it awaited its hook at the end',
        happened('dispose began')
          ? 'the hook for its end is not awaited'
          : 'there is no hook for the end of a worker',
      ),
    ],
  );
}

/**
 * Worker files for this take some 100 ms to load, and log `loaded`.
 *
 * @param what one waits for
 */
export async function ready(
  threads: number,
  what: string,
  wait: () => PromiseLike<unknown>,
): Promise<Outcome> {
  const waited = watch(wait());
  await until(() => isOver(waited));
  const loaded = eventsOf('loaded').length;
  if (waited.state !== 'fulfilled') return none(`${what}: never came`);
  if (loaded === 0) return none(`after ${what} no worker had loaded its file`);
  return judge(
    [fact(true, 'one can wait for it', '')],
    [
      fact(
        loaded === threads,
        `after ${what} all ${threads} workers had loaded their file`,
        `after ${what} ${loaded} of ${threads} workers had loaded their file`,
      ),
    ],
  );
}

/** @param run gives the threads in which the task ran */
export async function broadcast(threads: number, run: () => PromiseLike<unknown>): Promise<Outcome> {
  const results = (await run()) as unknown[];
  const ran = new Set(eventsOf('ran everywhere').map(({ thread }) => thread));
  return judge([
    fact(
      ran.size === threads && results.length === threads,
      `one call ran the task in each of ${threads} workers, and gave ${results.length} results`,
      `one call ran the task in ${ran.size} of ${threads} workers`,
    ),
  ]);
}

/**
 * @param run sends a task that logs `ran everywhere` to one worker of many, by `how`
 * @param lacks that there is no call for all of them
 */
export async function reachEach(
  threads: number,
  run: (index: number) => PromiseLike<unknown>,
  how: string,
  lacks: string,
): Promise<Outcome> {
  const tasks = Array.from({ length: threads }, (_, index) => watch(run(index)));
  await until(() => tasks.every(isOver));
  const ran = new Set(eventsOf('ran everywhere').map(({ thread }) => thread)).size;
  return judge(
    [
      fact(
        ran === threads && tasks.every(({ state }) => state === 'fulfilled'),
        `each of ${threads} workers could be given the task`,
        `${threads} calls reached ${ran} of ${threads} workers`,
      ),
    ],
    [fact(false, '', `that takes a call for each worker, and ${how}: ${lacks}`)],
  );
}

const KEYS = ['red', 'green', 'blue'];
const NEW_KEY = 'black';

/** A pool of three workers. */
export interface Keyed {
  /** Runs `markKey` by a key. */
  readonly run: (key: string) => PromiseLike<unknown>;
  /** Runs `holdAll`; called three times, it occupies all workers. */
  readonly hold: (index: number) => PromiseLike<unknown>;
  /** What the user has to do for it, when that is more than to name the key; then it is `partly` at most. */
  readonly caveat?: string;
}

/** Tasks of three keys; then those of a new one, while all workers are busy. */
export async function stickyKey({ run, hold, caveat }: Keyed): Promise<Outcome> {
  for (const key of KEYS) await run(key);
  await settled(KEYS.flatMap((key) => Array.from({ length: 6 }, () => run(key))));
  const held = [0, 1, 2].map((index) => watch(hold(index)));
  await until(() => eventsOf('began busy').length === 3);
  const late = Array.from({ length: 6 }, () => run(NEW_KEY));
  await pause(50);
  openGate('busy');
  await settled(late);
  await until(() => held.every(isOver));
  const spread = new Set(KEYS.flatMap((key) => threadsOf(key))).size;
  return judge(
    [
      fact(
        KEYS.every((key) => threadsOf(key).length === 1),
        'tasks of a key kept to one worker',
        'tasks of one key ran in several workers',
      ),
    ],
    [
      fact(spread > 1, `three keys were spread over ${spread} workers`, 'all keys went to one worker'),
      fact(
        threadsOf(NEW_KEY).length === 1,
        'also those of a key that was new while all workers were busy',
        'those of a key that was new while all workers were busy did not',
      ),
      ...(caveat === undefined ? [] : [fact(false, '', caveat)]),
    ],
  );
}

async function settled(promises: readonly PromiseLike<unknown>[]): Promise<void> {
  const tasks = promises.map(watch);
  await until(() => tasks.every(isOver));
}

const threadsOf = (key: string): number[] => [...new Set(eventsOf(`ran ${key}`).map(({ thread }) => thread))];

/** How long what a pool does by itself may take on a busy machine: workers start beside their tasks. */
const PATIENCE_MS = 15_000;

/** How many threads run tasks when there are plenty of them; looks again until it is as wanted, or the time is up. */
async function breadth(pool: Driver, label: string, isWanted: (threads: number) => boolean): Promise<number> {
  for (const end = Date.now() + PATIENCE_MS; ; await pause(50)) {
    const before = events().length;
    const runs = Array.from({ length: 8 }, () => watch(pool.submit('nap', label)));
    await until(() => runs.every(isOver));
    const ran = events().slice(before);
    const threads = new Set(ran.filter(({ what }) => what === `ran ${label}`).map(({ thread }) => thread))
      .size;
    if (isWanted(threads) || Date.now() > end) return threads;
  }
}

/** @param caveat what is wrong with this way of changing it; then it is `partly` at most */
export async function resize(
  pool: Driver,
  change: (threads: number) => unknown,
  caveat?: string,
): Promise<Outcome> {
  const before = await breadth(pool, 'before', (threads) => threads === 2);
  const refusal = await refusalOf(change, 4);
  const more = await breadth(pool, 'more', (threads) => threads > before);
  const why = refusal === undefined ? '' : ` (${refusal})`;
  if (more <= before) return none(`two workers stayed ${more}${why}`);
  await refusalOf(change, 1);
  const fewer = await breadth(pool, 'fewer', (threads) => threads === 1);
  return judge(
    [fact(before === 2, `two workers became ${more}`, `${before} workers ran tasks of a pool of two`)],
    [
      fact(fewer === 1, 'and then one', `they could not become one again: ${fewer} ran tasks`),
      ...(caveat === undefined ? [] : [fact(false, '', caveat)]),
    ],
  );
}

async function refusalOf(change: (threads: number) => unknown, threads: number): Promise<string | undefined> {
  try {
    await change(threads);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

/** @param limit tasks after which a worker should be replaced */
export async function recycleTasks(pool: Driver, limit: number): Promise<Outcome> {
  const threads = await untilReplaced(() => pool.submit('where'), 3);
  const longest = Math.max(...threads.map((thread) => threads.filter((other) => other === thread).length));
  const workers = new Set(threads).size;
  if (workers === 1) return none(`one worker ran all tasks, ${threads.length} of them`);
  return judge(
    [fact(true, `${threads.length} tasks took ${workers} workers`, '')],
    [
      fact(
        longest >= limit,
        `none ran fewer than asked for (${limit})`,
        `none ran more than ${longest}: another number than one cannot be set`,
      ),
    ],
  );
}

/** Runs one task after another until so many workers have run them, or the time is up; gives their threads. */
async function untilReplaced(
  task: () => PromiseLike<unknown>,
  workers: number,
  before: readonly unknown[] = [],
): Promise<unknown[]> {
  const threads = [...before];
  for (const end = Date.now() + PATIENCE_MS; Date.now() < end; await pause(20)) {
    if (new Set(threads).size === workers) break;
    threads.push(await task());
  }
  return threads;
}

/** The limit is 40 MB. */
export async function recycleHeap(pool: Driver): Promise<Outcome> {
  const kept = [await pool.submit('grow', 24), await pool.submit('grow', 24)];
  const threads = await untilReplaced(() => pool.submit('where'), 2, kept);
  return judge([
    fact(
      new Set(threads).size === 2,
      'a worker that kept 48 MB was replaced',
      'a worker that kept 48 MB was not replaced',
    ),
  ]);
}

/**
 * Worker files for this take some 100 ms to load, and log `loading` and `loaded`. Tasks come one after another, so that one comes
 * while a worker is replaced.
 */
export async function recycleFirst(
  pool: Driver,
  task: (index: number) => PromiseLike<unknown>,
): Promise<Outcome> {
  await pool.submit('mark', 'first');
  const first = eventsOf('ran first')[0]?.thread as number;
  const end = Date.now() + PATIENCE_MS;
  for (let index = 0; Date.now() < end && !hasReplacement(first); index++) {
    await task(index);
    await pause(10);
  }
  const loading = events().find(({ what, thread }) => what === 'loading' && thread > first);
  const meanwhile = eventsOf('ran task').filter(
    ({ thread, at }) => thread === first && at >= (loading?.at ?? Number.POSITIVE_INFINITY),
  ).length;
  if (loading === undefined) return none('no worker was replaced');
  return judge([
    fact(
      meanwhile > 0,
      `the old worker ran ${meanwhile} tasks while its replacement loaded its file`,
      'the old worker ran no task any more while its replacement loaded its file',
    ),
  ]);
}

const hasReplacement = (first: number): boolean =>
  events().some(({ what, thread }) => what === 'ran task' && thread > first);
