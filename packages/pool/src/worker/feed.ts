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
export function unfed({ values, feeds }: FedValue): unknown[] {
  const items = [...values];
  for (const { index, port, isReadable } of feeds) {
    const reader = new FeedReader(port);
    items[index] = isReadable ? readableOf(reader) : reader;
  }
  return items;
}

function readableOf(reader: FeedReader): ReadableStream<unknown> {
  return new ReadableStream<unknown>(
    {
      async pull(controller) {
        const { done, value } = await reader.next();
        if (done === true) controller.close();
        else controller.enqueue(value);
      },
      async cancel() {
        await reader.return();
      },
    },
    { highWaterMark: 0 },
  );
}

type Result = IteratorResult<unknown, undefined>;
interface Waiter {
  resolve(result: Result): void;
  reject(reason: unknown): void;
}

/** An async iterable of the host, as the function of a task sees it. */
class FeedReader implements AsyncIterableIterator<unknown, undefined> {
  readonly #received: FeedMessage[] = [];
  readonly #waiters: Waiter[] = [];
  /** Items that have been asked for and have not come. */
  #asked = 0;
  #isOver = false;
  #isClosed = false;
  readonly #port: MessagePort;

  constructor(port: MessagePort) {
    this.#port = port;
    const receive = (message: FeedMessage): void => {
      this.#asked--;
      this.#received.push(message);
      this.#serve();
    };
    port.on('message', receive);
    port.on('messageerror', (reason: unknown) => receive([FAILURE, carry(unreadable('item', reason))]));
    port.on('close', () => {
      this.#isClosed = true;
      this.#serve();
    });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<Result> {
    const result = new Promise<Result>((resolve, reject) => this.#waiters.push({ resolve, reject }));
    this.#serve();
    return result;
  }

  async return(): Promise<Result> {
    this.#received.length = 0;
    if (!this.#isOver) this.#ask(null);
    this.#isOver = true;
    this.#serve();
    return { done: true, value: undefined };
  }

  #serve(): void {
    while (this.#waiters.length > 0) {
      const message = this.#received.shift();
      if (message === undefined && !this.#isOver && !this.#isClosed) break;
      this.#answer(this.#waiters.shift() as Waiter, message);
    }
    const coming = this.#asked + this.#received.length;
    if (this.#waiters.length === 0 && coming > FEW) return;
    if (this.#isOver || this.#isClosed || coming >= MOST) return;
    this.#asked += MOST - coming;
    this.#ask(MOST - coming);
  }

  #answer(waiter: Waiter, message: FeedMessage | undefined): void {
    if (message?.[0] === ITEM) {
      waiter.resolve({ done: false, value: message[1] });
      return;
    }
    const wasOver = this.#isOver;
    this.#isOver = true;
    if (wasOver || message?.[0] === END) waiter.resolve({ done: true, value: undefined });
    else waiter.reject(message === undefined ? new AbortError() : restore(message[1]));
  }

  #ask(request: FeedRequest): void {
    this.#port.postMessage(request);
  }
}
