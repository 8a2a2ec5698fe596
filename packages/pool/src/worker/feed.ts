import type { MessagePort } from 'node:worker_threads';
import { AbortError } from '../errors.js';
import { carry, restore } from '../shared/error-record.js';
import { END, FAILURE, type FedValue, type FeedMessage, type FeedRequest, ITEM } from '../shared/feeds.js';
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

type Result = IteratorResult<unknown, undefined>;
type Reader = AsyncIterableIterator<unknown, undefined> & { return(): Promise<Result> };
interface Waiter {
  resolve(result: Result): void;
  reject(reason: unknown): void;
}

/** An async iterable of the host, as the function of a task sees it. */
function readerOf(port: MessagePort): Reader {
  const received: FeedMessage[] = [];
  const waiters: Waiter[] = [];
  /** Items that have been asked for and have not come. */
  let asked = 0;
  let isOver = false;
  let isClosed = false;
  const ask = (request: FeedRequest): void => port.postMessage(request);

  function receive(message: FeedMessage): void {
    asked--;
    received.push(message);
    serve();
  }
  port.on('message', receive);
  port.on('messageerror', (reason: unknown) => receive([FAILURE, carry(unreadable('item', reason))]));
  port.on('close', () => {
    isClosed = true;
    serve();
  });

  function serve(): void {
    while (waiters.length > 0) {
      const message = received.shift();
      if (message === undefined && !isOver && !isClosed) break;
      answer(waiters.shift() as Waiter, message);
    }
    const coming = asked + received.length;
    if (waiters.length === 0 && coming > FEW) return;
    if (isOver || isClosed || coming >= MOST) return;
    asked += MOST - coming;
    ask(MOST - coming);
  }

  function answer(waiter: Waiter, message: FeedMessage | undefined): void {
    if (message?.[0] === ITEM) {
      waiter.resolve({ done: false, value: message[1] });
      return;
    }
    const wasOver = isOver;
    isOver = true;
    if (wasOver || message?.[0] === END) waiter.resolve({ done: true, value: undefined });
    else waiter.reject(message === undefined ? new AbortError() : restore(message[1]));
  }

  return {
    [Symbol.asyncIterator]() {
      return this;
    },
    next() {
      const result = new Promise<Result>((resolve, reject) => waiters.push({ resolve, reject }));
      serve();
      return result;
    },
    async return() {
      received.length = 0;
      if (!isOver) ask(null);
      isOver = true;
      serve();
      return { done: true, value: undefined };
    },
  };
}
