import { FleetError } from '../errors.js';
import type { Client } from './connection.js';
import { keyOf, type QueuePlace } from './keys.js';
import { asBuffer } from './wire.js';

/** Milliseconds that a task may wait: a week. A key without an end would stay when hosts and workers are gone. */
const LIFETIME = 7 * 24 * 3600 * 1000;

/**
 * Tasks that are too large for the JSON of a job: bytes in keys beside the jobs. The worker that ends a job drops the key, and so
 * does the host, for jobs that no worker ends.
 */
export class LargeTasks {
  readonly #client: Client;
  readonly #place: QueuePlace;

  constructor(client: Client, place: QueuePlace) {
    this.#client = client;
    this.#place = place;
  }

  async put(id: string, bytes: Uint8Array): Promise<void> {
    await this.#client.set(this.#keyOf(id), asBuffer(bytes), 'PX', LIFETIME);
  }

  /** @throws FleetError PLIMSOLL_FLEET_LOST */
  async get(id: string): Promise<Uint8Array> {
    const bytes = await this.#client.getBuffer(this.#keyOf(id));
    if (bytes === null)
      throw new FleetError('PLIMSOLL_FLEET_LOST', `The task of job ${id} is no longer kept`);
    return new Uint8Array(bytes);
  }

  async drop(id: string): Promise<void> {
    await this.#client.unlink(this.#keyOf(id));
  }

  #keyOf(id: string): string {
    return keyOf(this.#place, 'task', id);
  }
}
