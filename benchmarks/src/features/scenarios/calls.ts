import type { Driver } from '../driver.js';
import { happened } from '../log.js';
import { fact, judge, none, type Outcome } from '../outcome.js';
import { isOver, until, watch } from '../time.js';

interface Received {
  readonly args: number;
  readonly signals: number;
}

/** @param received the method of that name */
export async function proxy(received: (...args: unknown[]) => PromiseLike<unknown>): Promise<Outcome> {
  const { args } = (await received(1, 'two', { three: 3 })) as Received;
  return judge([
    fact(args === 3, 'a method was called with three arguments', `of three arguments came ${args}`),
  ]);
}

/** What the function learns of its call in a pool that gives it one value. */
export async function oneArgument(pool: Driver): Promise<string> {
  const { args } = (await pool.submit('received', [1, 'two', { three: 3 }])) as Received;
  if (args !== 1) throw new Error(`the function got ${args} arguments`);
  return 'a function gets one value';
}

/** @throws when a worker of the library has something by which a task could learn of its abort. */
export async function learnsNothing(pool: Driver, library: string): Promise<string> {
  const { signal } = new AbortController();
  const call =
    pool.cancellable === undefined ? pool.submit('received', 1) : pool.cancellable('received', 1, signal);
  const { args, signals } = (await call) as Received;
  const names = (await pool.submit('abortNames', library)) as string[];
  if (args > 1 || signals > 0 || names.length > 0) {
    throw new Error(`a task gets ${args} arguments, ${signals} signals, and ${library} has ${names.join()}`);
  }
  return `a task gets its value alone, and in a worker ${library} exports nothing about aborting`;
}

/**
 * @param task ends when its signal or listener says so, and logs `heard`
 * @param isSignal what it heard by is an AbortSignal
 */
export async function runningSignal(pool: Driver, task: string, isSignal: boolean): Promise<Outcome> {
  const controller = new AbortController();
  const running = watch(pool.cancellable?.(task, 'task', controller.signal) ?? Promise.resolve());
  await until(() => happened('began task'));
  controller.abort();
  await until(() => happened('tidied'), 3000);
  await until(() => isOver(running), 3000);
  if (!happened('tidied')) return none('a task that ran heard nothing of its abort');
  return judge(
    [],
    [
      fact(true, 'a task that ran heard of its abort', ''),
      fact(isSignal, 'by an AbortSignal', 'by a listener of its own kind, not by an AbortSignal'),
    ],
  );
}

/** @param task loops without a pause until it sees that it is aborted, and then logs `loop saw` */
export async function loopAbort(pool: Driver, task: string): Promise<Outcome> {
  const controller = new AbortController();
  watch(pool.cancellable?.(task, 'loop', controller.signal) ?? Promise.resolve());
  await until(() => happened('began loop'));
  controller.abort();
  const saw = await until(() => happened('loop saw'), 3000);
  return judge([
    fact(saw, 'a loop without a pause saw its abort', 'a loop without a pause did not see its abort'),
  ]);
}
