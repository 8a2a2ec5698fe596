import type { Driver } from '../driver.js';
import { eventsOf } from '../log.js';
import { fact, judge, type Outcome } from '../outcome.js';
import { attempt, isOver, pause, reasonOf, type Settled, until } from '../time.js';

/** A task that ends its worker twice, then one that always does; three runs more are allowed. */
export async function retry(run: (label: string, times: number) => PromiseLike<unknown>): Promise<Outcome> {
  const twice = attempt(() => run('twice', 2));
  await until(() => isOver(twice), 3000);
  const always = attempt(() => run('always', 99));
  await until(() => isOver(always), 3000);
  await pause(200);
  const runs = eventsOf('ran twice').length;
  const all = eventsOf('ran always').length;
  return judge(
    [
      fact(
        twice.state === 'fulfilled' && runs === 3,
        'a task that ended its worker twice ran a third time',
        `a task that ended its worker ran ${times(runs)}: ${stateOf(twice)}`,
      ),
    ],
    [
      fact(
        always.state === 'rejected' && all <= 4,
        `one that always does ran ${times(all)} and was rejected (${reasonOf(always.error)})`,
        `one that always does ran ${times(all)}: ${stateOf(always)}`,
      ),
    ],
  );
}

const stateOf = ({ state, error }: Settled): string =>
  state === 'rejected'
    ? `rejected (${reasonOf(error)})`
    : state === 'pending'
      ? 'its promise is never settled'
      : state;

const times = (count: number): string => (count === 1 ? 'once' : `${count} times`);

/** The worker file logs `boot` and ends its thread while it is loaded. */
export async function breaker(open: () => Driver, named: RegExp): Promise<Outcome> {
  const calls: Settled[] = [];
  const pool = open();
  for (let index = 0; index < 4; index++) calls.push(attempt(() => pool.submit('where')));
  await until(() => calls.every(isOver), 3000);
  const told = calls.filter(({ state }) => state === 'rejected').length;
  await pause(300);
  const before = eventsOf('boot').length;
  for (let index = 0; index < 4; index++) calls.push(attempt(() => pool.submit('where')));
  await pause(500);
  const started = eventsOf('boot').length - before;
  const reason = calls.slice(0, 4).find(({ state }) => state === 'rejected')?.error;
  return judge(
    [
      fact(
        told === 4,
        'all waiting tasks were rejected',
        `${4 - told} of 4 waiting tasks were never settled`,
      ),
    ],
    [
      fact(
        named.test(`${(reason as Error | undefined)?.message} ${(reason as Error | undefined)?.cause}`),
        `with the reason (${reasonOf(reason)})`,
        reason === undefined ? 'no reason was given' : `without the reason (${reasonOf(reason)})`,
      ),
      fact(
        started === 0,
        `after ${before} workers none was started for further tasks`,
        `${before} workers were started, and ${started} more for further tasks`,
      ),
    ],
  );
}
