import { Keyed } from './keys.js';

/** What a worker process tells of itself. */
export interface WorkerEntry {
  readonly id: string;
  readonly host: string;
  readonly pid: number;
  readonly threads: number;
  /** Of the task module, as the worker was told. */
  readonly version: string | undefined;
  /** The functions that tasks can call. */
  readonly names: readonly string[];
}

export const HEARTBEAT = 5_000;
/** After so many milliseconds without a heartbeat a worker is gone. */
const LIFETIME = 3 * HEARTBEAT;

/** The workers of a queue, each under a key that expires when it is not renewed. */
export class Registry extends Keyed {
  async renew(entry: WorkerEntry): Promise<void> {
    await this.client.sadd(this.keyOf('workers'), entry.id);
    await this.client.set(this.keyOf('worker', entry.id), JSON.stringify(entry), 'PX', LIFETIME);
  }

  async remove(id: string): Promise<void> {
    await this.client.srem(this.keyOf('workers'), id);
    await this.client.del(this.keyOf('worker', id));
  }

  /** Milliseconds by the clock of Redis, which is one for all workers. */
  async time(): Promise<number> {
    const [seconds, microseconds] = await this.client.time();
    return Number(seconds) * 1000 + Math.floor(Number(microseconds) / 1000);
  }

  /** Those that live. */
  async all(): Promise<WorkerEntry[]> {
    const ids = await this.client.smembers(this.keyOf('workers'));
    if (ids.length === 0) return [];
    const texts = await this.client.mget(ids.map((id) => this.keyOf('worker', id)));
    const gone = ids.filter((_, index) => texts[index] === null);
    if (gone.length > 0) await this.client.srem(this.keyOf('workers'), gone);
    return texts
      .filter((text) => text !== null && text !== undefined)
      .map((text) => JSON.parse(text) as WorkerEntry);
  }
}
