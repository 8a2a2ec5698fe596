import type { MessagePort } from 'node:worker_threads';
import { AbortError } from '../errors.js';
import { carry, restore } from '../shared/error-record.js';
import type { FedValue, FeedMessage, FeedRequest } from '../shared/feeds.js';
import { unreadable } from '../shared/uncloneable.js';

/** Items that have been asked for or are here, at most. */
const MOST = 16;
/** When there are no more than so many, further ones are asked for. */
const FEW = 8;

/** The arguments of a task, those in which the host feeds this worker included. */
export function withFeeds({ values, feeds }: FedValue): unknown[] {
  const items = [...values];
  for (const { index, port, isReadable } of feeds) {
    const reader = readerOf(port);
    items[index] = isReadable ? ReadableStream.from(reader) : reader;
  }
  return items;
}

/** An async iterable of the host, as the function of a task sees it. */
function readerOf(port: MessagePort): AsyncGenerator<unknown, void> {
  const received: FeedMessage[] = [];
  /** Items that have been asked for and have not come. */
  let requests = 0;
  let isClosed = false;
  /** The function takes no more. */
  let isLeft = false;
  let wake = (): void => {};

  function receive(message: FeedMessage): void {
    requests--;
    received.push(message);
    wake();
  }
  port.on('message', receive);
  port.on('messageerror', (reason: unknown) =>
    receive({ done: true, thrown: carry(unreadable('item', reason)) }),
  );
  port.on('close', () => {
    isClosed = true;
    wake();
  });
  const ask = (request: FeedRequest): void => port.postMessage(request);

  async function* read(): AsyncGenerator<unknown, void> {
    for (;;) {
      const coming = requests + received.length;
      if (coming <= FEW) {
        requests += MOST - coming;
        ask(MOST - coming);
      }
      while (received.length === 0 && !isClosed && !isLeft)
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      const message = received.shift();
      if (isLeft) return;
      if (message === undefined) throw new AbortError();
      if (message.thrown !== undefined) throw restore(message.thrown);
      if (message.done) return;
      yield message.value;
    }
  }

  const items = read();
  const end = items.return.bind(items);
  return Object.assign(items, {
    /** At once, also while an item is awaited. */
    return(): ReturnType<typeof end> {
      isLeft = true;
      ask(null);
      wake();
      return end();
    },
  });
}
