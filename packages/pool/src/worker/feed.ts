import type { MessagePort } from 'node:worker_threads';
import { AbortError } from '../errors.js';
import { carry, restore } from '../shared/error-record.js';
import type { FedValue, FeedMessage, FeedRequest } from '../shared/feeds.js';
import { unreadable } from '../shared/uncloneable.js';

/** Items that are requested or buffered at most. */
const MOST = 16;
/** Further items are requested as soon as no more than this many are left. */
const FEW = 8;

export function withFeeds({ values, feeds }: FedValue): unknown[] {
  const items = [...values];
  for (const { index, port, isReadable } of feeds) {
    const reader = readerOf(port);
    items[index] = isReadable ? ReadableStream.from(reader) : reader;
  }
  return items;
}

function readerOf(port: MessagePort): AsyncGenerator<unknown, void> {
  const received: FeedMessage[] = [];
  /** Items requested but not yet received. */
  let requests = 0;
  let isClosed = false;
  /** The function has called `return()`. */
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
    /** Takes effect at once, even while `next()` waits for an item. */
    return(): ReturnType<typeof end> {
      isLeft = true;
      ask(null);
      wake();
      return end();
    },
  });
}
