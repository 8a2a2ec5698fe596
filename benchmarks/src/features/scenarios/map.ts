import { fact, judge, type Outcome } from '../outcome.js';
import { pause, watch } from '../time.js';

const CONCURRENCY = 4;
const ITEMS = 40;

/** Maps items of any source; gives results as they come. */
export type Map = (
  source: Iterable<string> | AsyncIterable<string>,
  concurrency: number,
) => AsyncIterable<unknown> | PromiseLike<Iterable<unknown>>;

/** Counts how far its consumer is ahead of the results that have come. */
function* labels(counter: { taken: number }): Generator<string> {
  for (let index = 0; index < ITEMS; index++) {
    counter.taken++;
    yield `item-${index}`;
  }
}

async function* later(counter: { taken: number }): AsyncGenerator<string> {
  for (const label of labels(counter)) {
    await pause(0);
    yield label;
  }
}

export async function map(run: Map): Promise<Outcome> {
  const sync = await consume(run, labels);
  const async = await consume(run, later);
  return judge(
    [
      fact(
        sync.count === ITEMS,
        'it gave a result for each item of a sync iterable',
        `of a sync iterable: ${sync.said}`,
      ),
    ],
    [
      fact(async.count === ITEMS, 'and of an async one', `of an async iterable: ${async.said}`),
      fact(
        sync.ahead <= CONCURRENCY,
        `no more than ${sync.ahead} items were taken ahead of the results`,
        `${sync.ahead} of ${ITEMS} items were taken before there was a result`,
      ),
    ],
  );
}

async function consume(
  run: Map,
  source: (counter: { taken: number }) => Iterable<string> | AsyncIterable<string>,
): Promise<{ count: number; ahead: number; said: string }> {
  const counter = { taken: 0 };
  let count = 0;
  let ahead = 0;
  const consumed = watch(
    (async () => {
      for await (const _ of (await run(source(counter), CONCURRENCY)) as Iterable<unknown>) {
        count++;
        ahead = Math.max(ahead, counter.taken - count);
      }
    })(),
  );
  for (const end = Date.now() + 4000; consumed.state === 'pending' && Date.now() < end; ) await pause(10);
  const { error } = consumed;
  return { count, ahead, said: error instanceof Error ? error.message : `${count} results` };
}
