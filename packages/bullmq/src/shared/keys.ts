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
