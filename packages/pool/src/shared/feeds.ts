import type { MessagePort } from 'node:worker_threads';
import type { Thrown } from './error-record.js';

/** What the value of a task is whose arguments are partly async iterables of the host: those are left out. */
export interface FedValue {
  readonly values: readonly unknown[];
  readonly feeds: readonly FeedEnd[];
}

/** The worker's end of an async iterable of the host. */
export interface FeedEnd {
  /** Which of the values it is. */
  readonly index: number;
  readonly port: MessagePort;
  /** The function shall get a ReadableStream. */
  readonly isReadable: boolean;
}

/** From the worker: how many items more it takes, or null: none any more. */
export type FeedRequest = number | null;

/** From the host: as a result of an iterator, or why there is no more. */
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
