import { MessageChannel, type MessagePort, type Transferable } from 'node:worker_threads';
import { badType } from '../errors.js';
import { carry, carryLess } from '../shared/error-record.js';
import {
  END,
  FAILURE,
  type FedValue,
  type FeedEnd,
  type FeedMessage,
  type FeedRequest,
  ITEM,
} from '../shared/feeds.js';
import { isMovable, unwrap } from '../shared/move.js';
import { uncloneable } from '../shared/uncloneable.js';

/** A source of items, whatever kind of iterable it comes from. */
export interface Source {
  next(): IteratorResult<unknown> | Promise<IteratorResult<unknown>>;
  return?(): unknown;
}

/** @throws TypeError for what is not iterable */
export function sourceOf(name: string, given: unknown): Source {
  const methods = Object(given) as Partial<AsyncIterable<unknown> & Iterable<unknown>>;
  if (typeof methods[Symbol.asyncIterator] === 'function') return methods[Symbol.asyncIterator]?.() as Source;
  if (typeof methods[Symbol.iterator] === 'function') return methods[Symbol.iterator]?.() as Source;
  throw badType(name, given, 'an iterable or an async iterable');
}

/** Tells a source that nobody wants more of it. What goes wrong in that is nobody's any more. */
export function letGo(source: Source): void {
  try {
    Promise.resolve(source.return?.()).catch(() => {});
  } catch {
    // As above.
  }
}

/** Is it an async iterable, which stays on the host while a worker iterates it? What is to be moved is not. */
export const isFeed = (value: unknown): value is AsyncIterable<unknown> =>
  typeof value === 'object' && value !== null && Symbol.asyncIterator in value && !isMovable(value);

/** A value without what moves to the worker. */
export interface Parcel {
  readonly value: unknown;
  readonly transfer: readonly Transferable[];
  /** As the caller passed it, when that is something else. */
  readonly original: unknown;
}

/** A parcel that the host must look after as long as its task lives. */
export interface FedParcel extends Parcel {
  /** To be called when the task is over. */
  close(): void;
}

/**
 * Puts ports into the place of the async iterables among the arguments of a task, but for those that are transferred.
 * @throws what an iterable throws when it is asked for its iterator
 */
export function fedParcel(
  values: readonly unknown[],
  transfer: readonly Transferable[],
  original: unknown,
): FedParcel {
  const feeds: Feed[] = [];
  const ends: FeedEnd[] = [];
  const moved: Transferable[] = [...transfer];
  const close = (): void => {
    for (const feed of feeds) feed.close();
  };
  const place = (value: unknown, index: number): unknown => {
    if (isFeed(value) && !transfer.includes(value as never)) {
      const source = value[Symbol.asyncIterator]() as Source;
      const { port1, port2: port } = new MessageChannel();
      feeds.push(new Feed(source, port1));
      ends.push({ index, port, isReadable: 'getReader' in value });
      return undefined;
    }
    if (!isMovable(value)) return value;
    const unwrapped = unwrap(value);
    moved.push(...unwrapped.transfer);
    return unwrapped.value;
  };
  try {
    const value: FedValue = { values: values.map(place), feeds: ends };
    return { value, transfer: [...moved, ...ends.map(({ port }) => port)], original, close };
  } catch (error) {
    close();
    throw error;
  }
}

/** The host's end of one: gives the worker as many items as it asks for. */
class Feed {
  #credit = 0;
  #isGiving = false;
  #isDry = false;
  #isClosed = false;
  readonly #source: Source;
  readonly #port: MessagePort;

  constructor(source: Source, port: MessagePort) {
    this.#source = source;
    this.#port = port;
    port.on('message', (request: FeedRequest) => {
      if (request === null) this.close();
      else void this.#give(request);
    });
    // Its worker is gone.
    port.on('close', () => this.close());
    // Not what keeps the process alive: the task does.
    port.unref();
  }

  async #give(count: number): Promise<void> {
    this.#credit += count;
    if (this.#isGiving) return;
    this.#isGiving = true;
    while (this.#credit > 0 && !this.#isClosed && !this.#isDry) {
      this.#credit--;
      await this.#giveOne();
    }
    this.#isGiving = false;
  }

  async #giveOne(): Promise<void> {
    let result: IteratorResult<unknown>;
    try {
      result = await this.#source.next();
      if (this.#isClosed) return;
      if (typeof result !== 'object' || result === null)
        throw new TypeError(`Iterator result ${String(result)} is not an object`);
      if (result.done === true) {
        this.#isDry = true;
        this.#post([END]);
        return;
      }
    } catch (error) {
      this.#isDry = true;
      this.#fail(error);
      return;
    }
    try {
      this.#postItem(result.value);
    } catch (error) {
      this.#fail(uncloneable('item', result.value, error));
    }
  }

  #postItem(value: unknown): void {
    if (!isMovable(value)) {
      this.#post([ITEM, value]);
      return;
    }
    const moved = unwrap(value);
    this.#post([ITEM, moved.value], moved.transfer);
  }

  #fail(error: unknown): void {
    if (this.#isClosed) return;
    const thrown = carry(error);
    try {
      this.#post([FAILURE, thrown]);
    } catch (reason) {
      this.#post([FAILURE, carryLess(thrown, reason)]);
    }
    this.close();
  }

  #post(message: FeedMessage, transfer: readonly Transferable[] = []): void {
    this.#port.postMessage(message, transfer as never);
  }

  /** Nobody wants more of it. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#port.close();
    if (this.#isDry) return;
    this.#isDry = true;
    letGo(this.#source);
  }
}
