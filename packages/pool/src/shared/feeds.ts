import type { MessagePort } from 'node:worker_threads';
import type { Thrown } from './error-record.js';

/** The value of a task whose arguments are partly async iterables of the host. `values` leaves these out. */
export interface FedValue {
  readonly values: readonly unknown[];
  readonly feeds: readonly FeedEnd[];
}

export interface FeedEnd {
  /** Index of the argument. */
  readonly index: number;
  readonly port: MessagePort;
  /** True: the function gets a ReadableStream. */
  readonly isReadable: boolean;
}

/** From the worker: how many further items to send; null: no more. */
export type FeedRequest = number | null;

/** From the host: an iterator result, or the error that ended the iterable. */
export interface FeedMessage {
  readonly done: boolean;
  readonly value?: unknown;
  readonly thrown?: Thrown;
}

/** Does nothing follow the result of an iterator? @throws TypeError for what is not such a result, as a loop does */
export function isEnd(result: IteratorResult<unknown>): boolean {
  if (typeof result !== 'object' || result === null)
    throw new TypeError(`Iterator result ${String(result)} is not an object`);
  return Boolean(result.done);
}
