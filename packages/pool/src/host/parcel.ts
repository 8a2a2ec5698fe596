import { MessageChannel, type MessagePort, type Transferable } from 'node:worker_threads';
import { badType } from '../errors.js';
import { FED, SPREAD } from '../shared/calls.js';
import { sendThrown } from '../shared/error-record.js';
import { type FedValue, type FeedEnd, type FeedMessage, type FeedRequest, isEnd } from '../shared/feeds.js';
import { isMovable, unwrap } from '../shared/move.js';
import { uncloneable } from '../shared/uncloneable.js';
import { checkClone } from '../shared/value-size.js';

/** The iterator of any iterable, synchronous or not. */
export interface Source {
  next(): IteratorResult<unknown> | Promise<IteratorResult<unknown>>;
  return?(): unknown;
}

/** @throws TypeError for what is not iterable */
export function sourceOf(name: string, value: unknown): Source {
  const methods = Object(value) as Partial<AsyncIterable<unknown> & Iterable<unknown>>;
  if (typeof methods[Symbol.asyncIterator] === 'function') return methods[Symbol.asyncIterator]?.() as Source;
  if (typeof methods[Symbol.iterator] === 'function') return methods[Symbol.iterator]?.() as Source;
  throw badType(name, value, 'an iterable or an async iterable');
}

/** Closes a source. Its error is ignored unless the caller awaits the promise. */
export function release(source: Source): Promise<unknown> {
  const ended = (async () => source.return?.())();
  ended.catch(() => {});
  return ended;
}

/** Is it an async iterable, which stays on the host while a worker iterates it? Not if `move` wraps it. */
export const isFeed = (value: unknown): value is AsyncIterable<unknown> =>
  typeof value === 'object' && value !== null && Symbol.asyncIterator in value && !isMovable(value);

export interface Parcel {
  readonly value: unknown;
  readonly transfer: readonly Transferable[];
  /** What `run()` was given, if `value` differs. */
  readonly original: unknown;
  /** How to call the function: bits of `shared/calls.ts`. */
  readonly call: number;
  /** Closes the async iterables in the value, if any. Call it when the task is over. */
  readonly close: (() => void) | undefined;
}

export const unmoved = (value: unknown, transfer: readonly Transferable[] = [], call = 0): Parcel => ({
  value,
  transfer,
  original: undefined,
  call,
  close: undefined,
});

/** Unwraps `move`, and replaces async iterables by ports. @throws what an iterable throws */
export function parcelOf(
  items: readonly unknown[],
  transferList: readonly Transferable[] = [],
  isSpread = false,
  mostBytes = Number.POSITIVE_INFINITY,
): Parcel {
  const call = isSpread ? SPREAD : 0;
  const taskOf = (values: readonly unknown[]): unknown => (isSpread ? values : values[0]);
  if (!items.some((item) => isMovable(item) || isFeed(item)))
    return unmoved(taskOf(items), transferList, call);
  const transfer = [...transferList];
  const openFeeds: Feed[] = [];
  const feeds: FeedEnd[] = [];
  const close = (): void => {
    for (const feed of openFeeds) feed.close();
  };
  const pack = (item: unknown, index: number): unknown => {
    if (isFeed(item) && !transferList.includes(item as never)) {
      const source = item[Symbol.asyncIterator]() as Source;
      const { port1, port2: port } = new MessageChannel();
      openFeeds.push(new Feed(source, port1, mostBytes));
      feeds.push({ index, port, isReadable: 'getReader' in item });
      return undefined;
    }
    const moved = unwrap(item);
    transfer.push(...moved.transfer);
    return moved.value;
  };
  try {
    const values = items.map(pack);
    const original = taskOf(items);
    if (feeds.length === 0) return { value: taskOf(values), transfer, original, call, close: undefined };
    transfer.push(...feeds.map(({ port }) => port));
    return { value: { values, feeds } satisfies FedValue, transfer, original, call: call | FED, close };
  } catch (error) {
    close();
    throw error;
  }
}

/** The host's end of an async iterable: gives the worker as many items as it asks for. */
class Feed {
  #isDry = false;
  #isClosed = false;
  #delivery: Promise<void> = Promise.resolve();
  readonly #source: Source;
  readonly #port: MessagePort;
  readonly #mostBytes: number;

  constructor(source: Source, port: MessagePort, mostBytes: number) {
    this.#source = source;
    this.#mostBytes = mostBytes;
    this.#port = port;
    port.on('message', (request: FeedRequest) => {
      if (request === null) this.close();
      else this.#delivery = this.#delivery.then(() => this.#give(request));
    });
    port.on('close', () => this.close());
    // Unreferenced: the task keeps the process alive.
    port.unref();
  }

  async #give(count: number): Promise<void> {
    for (let remaining = count; remaining > 0 && !this.#isDry; remaining--) {
      try {
        const result = await this.#source.next();
        this.#isDry ||= isEnd(result);
        if (!this.#isClosed) this.#giveOne(result.value);
      } catch (error) {
        this.#isDry = true;
        this.#fail(error);
      }
    }
  }

  #giveOne(value: unknown): void {
    try {
      if (this.#isDry) {
        this.#post({ done: true });
        return;
      }
      const moved = unwrap(value);
      checkClone('item', moved.value, this.#mostBytes, moved.transfer);
      this.#post({ done: false, value: moved.value }, moved.transfer);
    } catch (error) {
      this.#fail(uncloneable('item', value, error));
    }
  }

  #fail(error: unknown): void {
    if (this.#isClosed) return;
    sendThrown(error, (thrown) => this.#post({ done: true, thrown }));
    this.close();
  }

  #post(message: FeedMessage, transfer: readonly Transferable[] = []): void {
    this.#port.postMessage(message, transfer as never);
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#port.close();
    if (this.#isDry) return;
    this.#isDry = true;
    void release(this.#source);
  }
}
