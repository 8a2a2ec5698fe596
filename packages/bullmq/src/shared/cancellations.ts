import { now } from '@plimsoll/pool/internal';
import type { Client } from './connection.js';
import { Keyed, keyOf, type QueuePlace } from './keys.js';

/** Milliseconds for which a cancellation is remembered, for a worker that could not hear it. */
const REMEMBERED = 600_000;
/** Milliseconds that a job may need from Redis to the worker. */
const ON_ITS_WAY = 2_000;
const MOST_HEARD = 10_000;

/** Tells the workers of a queue to end a job that runs. */
export async function announceCancellation(client: Client, place: QueuePlace, id: string): Promise<void> {
  await client.set(keyOf(place, 'cancelled', id), '1', 'PX', REMEMBERED);
  await client.publish(keyOf(place, 'cancel'), id);
}

/** Before a job of an id that may have been cancelled before. */
export async function forgetCancellation(client: Client, place: QueuePlace, id: string): Promise<void> {
  await client.del(keyOf(place, 'cancelled', id));
}

export const isCancelled = async (client: Client, place: QueuePlace, id: string): Promise<boolean> =>
  (await client.exists(keyOf(place, 'cancelled', id))) === 1;

/** What a worker hears of cancellations, also of those that were told while it had no connection. */
export class Cancellations extends Keyed {
  readonly #subscriber: Client;
  readonly #running = new Map<string, () => void>();
  /** When it heard of jobs that do not run here: one may be on its way to this worker. */
  readonly #heard = new Map<string, number>();

  constructor(client: Client, place: QueuePlace) {
    super(client, place);
    // A connection cut while ioredis itself subscribes anew would be an unhandled rejection; in a cluster it is none.
    this.#subscriber = 'nodes' in client ? client.duplicate() : client.duplicate({ autoResubscribe: false });
    this.#subscriber.on('message', (_channel: string, id: string) => this.#hear(id));
    this.#subscriber.on('ready', () => {
      this.subscribe().catch(() => {});
      this.#ask([...this.#running.keys()]).catch(() => {});
    });
  }

  async subscribe(): Promise<void> {
    await this.#subscriber.subscribe(this.keyOf('cancel'));
  }

  /**
   * Calls `cancel` once, when the job is cancelled, or soon if it has been. Returns how to stop listening.
   *
   * @param isAgain the worker that had it is gone: nobody has ended it there
   */
  watch(id: string, isAgain: boolean, cancel: () => void): () => void {
    this.#running.set(id, cancel);
    const heardAt = this.#heard.get(id) ?? Number.NEGATIVE_INFINITY;
    if (isAgain || now() - heardAt < ON_ITS_WAY) void this.#ask([id]).catch(() => {});
    return () => this.#running.delete(id);
  }

  #hear(id: string): void {
    if (this.#running.has(id)) {
      void this.#ask([id]).catch(() => {});
      return;
    }
    this.#heard.set(id, now());
    if (this.#heard.size > MOST_HEARD) this.#heard.delete(this.#heard.keys().next().value as string);
  }

  /** A message may be of an earlier job; the mark is not: adding another job with this id removes it first. */
  async #ask(ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return;
    const marks = await this.client.mget(ids.map((id) => this.keyOf('cancelled', id)));
    for (const [index, id] of ids.entries()) {
      if (marks[index] === null) continue;
      const cancel = this.#running.get(id);
      this.#running.delete(id);
      cancel?.();
    }
  }
}
