import { eventsOf, happened } from '../log.js';
import { fact, judge, type Outcome } from '../outcome.js';
import { pause, until } from '../time.js';

/** Opens `numbers(count)` of a worker on the host. */
export type OpenStream = (count: number) => PromiseLike<AsyncIterable<unknown>> | AsyncIterable<unknown>;

/** Items that may be made ahead of the consumer. */
const AHEAD = 256;
const MANY = 5000;

/**
 * @param caveat what the user has to do for it, when that is more than to write a generator; then it is `partly` at most
 */
export async function streamOut(open: OpenStream, caveat?: string): Promise<Outcome> {
  const items: unknown[] = [];
  for await (const item of await open(10)) items.push(item);
  return judge(
    [fact(items.join() === '0,1,2,3,4,5,6,7,8,9', 'all ten items came, in order', `came: ${items.join()}`)],
    caveats(caveat),
  );
}

export async function streamBackPressure(open: OpenStream, caveat?: string): Promise<Outcome> {
  let taken = 0;
  let made = 0;
  for await (const _ of await open(MANY)) {
    if (++taken < 3) continue;
    await pause(500);
    made = eventsOf('made').length;
    await pause(500);
    break;
  }
  const later = eventsOf('made').length;
  return judge(
    [
      fact(
        later - taken <= AHEAD && later === made,
        `of ${MANY} items ${later} were made for a consumer that stopped at ${taken}`,
        `${later} of ${MANY} items were made for a consumer that stopped at ${taken}`,
      ),
    ],
    caveats(caveat),
  );
}

export async function streamBreak(open: OpenStream, caveat?: string): Promise<Outcome> {
  let taken = 0;
  for await (const _ of await open(MANY)) if (++taken === 3) break;
  const ended = await until(() => happened('generator ended'), 2000);
  return judge(
    [
      fact(ended, "the generator's `finally` ran after `break`", 'the generator did not hear of `break`'),
      fact(eventsOf('made').length < MANY, 'it made no further items', 'it made all of its items'),
    ],
    caveats(caveat),
  );
}

const caveats = (caveat: string | undefined) => (caveat === undefined ? [] : [fact(false, '', caveat)]);

/** How an argument that is an iterable fared. */
export interface Arguments {
  /** `sum` of 0 to 9. */
  readonly asyncIterable: (source: AsyncIterable<number>) => PromiseLike<unknown>;
  readonly readableStream: (source: ReadableStream<number>) => PromiseLike<unknown>;
  /** `firstOf` */
  readonly lazy: (source: ReadableStream<number>) => PromiseLike<unknown>;
}

export async function streamIn({ asyncIterable, readableStream, lazy }: Arguments): Promise<Outcome> {
  const wanted = 45;
  let made = 0;
  const source = async function* (count: number) {
    for (let number = 0; number < count; number++) {
      made++;
      await pause(0);
      yield number;
    }
  };
  const [iterable, stream] = await Promise.all([
    resultOf(() => asyncIterable(source(10))),
    resultOf(() => readableStream(ReadableStream.from(source(10)) as ReadableStream<number>)),
  ]);
  made = 0;
  await resultOf(() => lazy(ReadableStream.from(source(MANY)) as ReadableStream<number>));
  await pause(200);
  return judge(
    [fact(stream === wanted, 'a ReadableStream was read in the worker', `a ReadableStream: ${stream}`)],
    [
      fact(iterable === wanted, 'an async iterable was, too', `an async iterable: ${iterable}`),
      fact(
        made <= AHEAD,
        `of ${MANY} items ${made} were made for a task that read one`,
        `${made} of ${MANY} items were made for a task that read one`,
      ),
    ],
  );
}

async function resultOf(call: () => PromiseLike<unknown>): Promise<unknown> {
  let result: unknown = 'nothing came back';
  const said = (async () => call())().then(
    (value) => {
      result = value;
      return true;
    },
    (error: unknown) => {
      result = error instanceof Error ? error.message.split('\n')[0] : error;
      return true;
    },
  );
  await Promise.race([said, pause(3000)]);
  return result;
}

/** @returns whether an item comes at all. */
export async function isServed(open: OpenStream): Promise<boolean> {
  const iterator = (await open(10))[Symbol.asyncIterator]();
  return Promise.race([iterator.next().then(() => true), pause(1500).then(() => false)]);
}
