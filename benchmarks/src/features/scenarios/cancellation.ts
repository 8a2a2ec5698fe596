import type { Driver, Open } from '../driver.js';
import { eventsOf, happened, openGate } from '../log.js';
import { fact, judge, type Outcome } from '../outcome.js';
import { isOver, pause, reasonOf, until, watch } from '../time.js';

type Cancellable = Driver & Required<Pick<Driver, 'cancellable'>>;

function cancellableOf(driver: Driver): Cancellable {
  if (driver.cancellable === undefined) throw new Error('this pool has no way to abort a task');
  return driver as Cancellable;
}

/** Two tasks wait behind one that blocks; the first of them is aborted. */
export async function abortWaiting(open: Open): Promise<Outcome> {
  const pool = cancellableOf(open(1));
  const holder = watch(pool.submit('hold', 'holder'));
  await until(() => happened('began holder'));
  const controller = new AbortController();
  const aborted = watch(pool.cancellable('mark', 'aborted', controller.signal));
  const other = watch(pool.submit('mark', 'other'));
  await pause(50);
  const before = pool.queued?.();
  controller.abort();
  await until(() => isOver(aborted), 1000);
  const atOnce = aborted.state === 'rejected';
  const after = pool.queued?.();
  openGate('holder');
  await until(() => isOver(holder) && isOver(other));
  await until(() => isOver(aborted), 500);
  const left = before !== undefined && after === before - 1;
  return judge(
    [
      fact(
        aborted.state === 'rejected' && !happened('ran aborted'),
        'its function never ran',
        'its function ran all the same',
      ),
    ],
    [
      fact(
        atOnce,
        'it was rejected while the task before it still ran',
        'it was not rejected before its turn',
      ),
      fact(
        left,
        `the queue went from ${before} to ${after}`,
        `it kept its place in the queue (${before} tasks waited before the abort, ${after} after it)`,
      ),
      fact(other.state === 'fulfilled', 'the task behind it ran', 'the task behind it did not run'),
    ],
  );
}

const isStill = async (what: string): Promise<boolean> => {
  const before = eventsOf(what).length;
  await pause(500);
  return eventsOf(what).length === before;
};

const ends = async (what: string): Promise<boolean> => {
  for (const end = Date.now() + 3000; Date.now() < end; ) if (await isStill(what)) return true;
  return false;
};

/** Two workers run a task each; one of these is aborted. */
export async function abortOneWorker(open: Open, task: 'beat' | 'pace' = 'beat'): Promise<Outcome> {
  const pool = cancellableOf(open(2));
  const controller = new AbortController();
  const aborted = watch(pool.cancellable(task, 'aborted', controller.signal));
  const other = watch(pool.submit('hold', 'other'));
  await until(() => happened('beat aborted') && happened('began other'));
  controller.abort();
  await until(() => isOver(aborted), 3000);
  const rejected = aborted.state === 'rejected';
  const stopped = await ends('beat aborted');
  openGate('other');
  await until(() => isOver(other));
  const next = ['one', 'two'].map((label) => watch(pool.submit('mark', label)));
  await until(() => next.every(isOver));
  return judge(
    [fact(stopped, 'its function was stopped', 'its function runs on')],
    [
      fact(
        rejected,
        `it was rejected (${reasonOf(aborted.error)})`,
        'its promise was not settled by the abort',
      ),
      fact(
        other.state === 'fulfilled',
        'the task in the other worker ended as ever',
        'the task in the other worker was lost',
      ),
      fact(
        next.every(({ state }) => state === 'fulfilled'),
        'two further tasks ran',
        'further tasks did not run',
      ),
    ],
  );
}

/**
 * One task ends when it is aborted, the next one does not.
 *
 * @param tidy a task that ends by itself when it learns that it is aborted, and logs `tidied`
 */
export async function grace(open: Open, tidy: string): Promise<Outcome> {
  const pool = cancellableOf(open(1));
  const before = await pool.submit('where');
  const first = new AbortController();
  const tidied = watch(pool.cancellable(tidy, 'tidy', first.signal));
  await until(() => happened('began tidy'));
  first.abort();
  await until(() => isOver(tidied), 3000);
  const after = await pool.submit('where');
  const second = new AbortController();
  const stubborn = watch(pool.cancellable('beat', 'stubborn', second.signal));
  await until(() => happened('beat stubborn'));
  const abortedAt = Date.now();
  second.abort();
  await until(() => isOver(stubborn), 4000);
  const stopped = await ends('beat stubborn');
  const last = eventsOf('beat stubborn').at(-1)?.at ?? 0;
  const replaced = (await pool.submit('where')) !== after;
  return judge(
    [
      fact(happened('tidied'), 'a task that heard of its abort ended by itself', 'no task ended by itself'),
      fact(before === after, 'its worker stayed', 'its worker was replaced all the same'),
    ],
    [
      fact(
        stopped && replaced,
        'a loop that did not end was stopped and its worker replaced',
        'a loop that did not end was not stopped',
      ),
      fact(
        last - abortedAt > 150,
        'that was after the time of grace',
        'that was at once, without a time of grace',
      ),
    ],
  );
}

/** What happens to a loop that is aborted in a pool where it cannot know. */
export async function fateOfLoop(open: Open): Promise<string> {
  const pool = cancellableOf(open(1));
  const controller = new AbortController();
  const aborted = watch(pool.cancellable('beat', 'loop', controller.signal));
  await until(() => happened('beat loop'));
  const abortedAt = Date.now();
  controller.abort();
  const stopped = await ends('beat loop');
  const last = eventsOf('beat loop').at(-1)?.at ?? 0;
  if (!stopped) return 'a loop that was aborted ran on';
  return `a loop that was aborted was stopped with its thread${last - abortedAt < 150 ? ' at once' : ''} (${reasonOf(aborted.error)})`;
}

/** A task with a deadline behind one that blocks; then one that runs for too long. */
export async function deadline(open: Open, task: 'beat' | 'pace' = 'beat'): Promise<Outcome> {
  const pool = open(1);
  const { limited } = pool;
  if (limited === undefined) throw new Error('this pool has no deadlines');
  const holder = watch(pool.submit('hold', 'holder'));
  await until(() => happened('began holder'));
  const waiting = watch(limited('mark', 'waiting', 200));
  await until(() => isOver(waiting), 1500);
  const counted = waiting.state === 'rejected';
  openGate('holder');
  await until(() => isOver(holder));
  await until(() => isOver(waiting), 500);
  const running = watch(limited(task, 'running', 300));
  await until(() => happened('beat running'));
  await until(() => isOver(running), 4000);
  const rejected = running.state === 'rejected';
  const stopped = rejected && (await ends('beat running'));
  return judge(
    [
      fact(
        rejected,
        `a task that ran for too long was rejected (${reasonOf(running.error)})`,
        'a task that ran for too long was not rejected',
      ),
    ],
    [
      fact(stopped, 'it was stopped', 'its function runs on'),
      fact(
        counted,
        'one that waited for too long was rejected in the queue',
        'the time in the queue does not count',
      ),
    ],
  );
}
