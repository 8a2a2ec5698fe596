import type { Client } from './connection.js';

/** Where a queue is in Redis. */
export interface QueuePlace {
  readonly queue: string;
  /** Of all keys: BullMQ's own, too. */
  readonly prefix: string;
}

/** Keys of this package, beside BullMQ's of the same queue. */
export const keyOf = ({ prefix, queue }: QueuePlace, ...parts: string[]): string =>
  [prefix, queue, 'plimsoll', ...parts].join(':');

/** The stream of BullMQ's events. */
export const eventsKeyOf = ({ prefix, queue }: QueuePlace): string => `${prefix}:${queue}:events`;

/** What is under keys of a queue. */
export class Keyed {
  protected readonly client: Client;
  protected readonly place: QueuePlace;

  constructor(client: Client, place: QueuePlace) {
    this.client = client;
    this.place = place;
  }

  protected keyOf(...parts: string[]): string {
    return keyOf(this.place, ...parts);
  }
}
