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

export const ITEM = 0;
export const END = 1;
export const FAILURE = 2;
/** From the host. */
export type FeedMessage =
  | readonly [typeof ITEM, unknown]
  | readonly [typeof END]
  | readonly [typeof FAILURE, Thrown];
