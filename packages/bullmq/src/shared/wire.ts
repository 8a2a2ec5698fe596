import { decode, decodeError, encodeError, encodeWithin, plainCopy } from '@plimsoll/pool/internal';
import { FleetError, tooLarge } from '../errors.js';
import { Keyed } from './keys.js';

/** The data of a job. */
export interface JobData {
  readonly format: typeof FORMAT;
  /** Base64 of the codec's bytes: BullMQ's data is JSON. Left out: the bytes are in a key beside the job. */
  readonly task?: string;
  /** How many there are. */
  readonly beside?: number;
  /** The task is the list of arguments. */
  readonly spread?: true;
  /** Milliseconds, as for `run()` of the worker's pool. */
  readonly timeout?: number;
  readonly grace?: number;
  /** Milliseconds for which an outcome beside the job is kept. */
  readonly keep: number;
}

/** What a job returns. */
export interface Receipt {
  /** Base64 of the result; left out: it is an outcome beside the job. */
  readonly result?: string;
  /** How long the function ran, in milliseconds. */
  readonly ms: number;
}

export const FORMAT = 'plimsoll/1';
/** Bytes. What is larger is not in a job's JSON, nor in the event by which BullMQ tells every host of every result. */
export const MOST_INLINE = 2048;

export const asBuffer = ({ buffer, byteOffset, byteLength }: Uint8Array): Buffer =>
  Buffer.from(buffer, byteOffset, byteLength);
export const toText = (bytes: Uint8Array): string => asBuffer(bytes).toString('base64');
/** A copy of its own: a Buffer may be a part of one that is shared. */
export const fromText = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, 'base64'));

/** @throws UncloneableError; FleetError PLIMSOLL_FLEET_TOO_LARGE */
export function encodeTask(task: unknown, maxPayload: number): Uint8Array<ArrayBuffer> {
  const bytes = encodeWithin(task, 'task', maxPayload);
  if (typeof bytes === 'number') throw tooLarge('The task', bytes, maxPayload);
  return bytes;
}

/** @throws FleetError PLIMSOLL_FLEET_NOT_A_TASK for a job that another program has added */
export function jobData(data: unknown): JobData {
  const { format, task, beside, keep } = Object(data) as Partial<JobData>;
  const isTask = typeof task === 'string' || typeof beside === 'number';
  if (format === FORMAT && isTask && Number.isInteger(keep)) return plainCopy(data as JobData);
  throw new FleetError('PLIMSOLL_FLEET_NOT_A_TASK', `The job's data is not a task (format '${FORMAT}')`);
}

/** Milliseconds that a task may wait: a week. A key without an end would stay when hosts and workers are gone. */
const WAITS = 7 * 24 * 3600 * 1000;

/**
 * Keys beside the jobs: tasks that are too large for the JSON of a job, results that are too large for an event, and errors, of which
 * BullMQ would keep the message. Result and error are apart, because a worker that has lost its lock may write an error while another
 * one has the result. The key of a task is dropped by the worker that ends its job, and by the host, for jobs that no worker ends.
 */
export class Payloads extends Keyed {
  putTask(id: string, bytes: Uint8Array): Promise<void> {
    return this.#put('task', id, bytes, WAITS);
  }

  /** @throws FleetError PLIMSOLL_FLEET_LOST */
  async taskOf(id: string): Promise<Uint8Array> {
    const bytes = await this.#get('task', id);
    if (bytes === null) throw lost('task', id);
    return new Uint8Array(bytes);
  }

  async dropTask(id: string): Promise<void> {
    await this.client.unlink(this.keyOf('task', id));
  }

  async receiptFor(id: string, bytes: Uint8Array, ms: number, keep: number): Promise<Receipt> {
    if (bytes.length <= MOST_INLINE) return { result: toText(bytes), ms };
    await this.#put('result', id, bytes, keep);
    return { ms };
  }

  async putError(id: string, reason: unknown, keep: number): Promise<void> {
    await this.#put('error', id, encodeError(reason), keep);
  }

  /** @throws FleetError PLIMSOLL_FLEET_LOST; PoolError PLIMSOLL_POOL_BAD_BYTES */
  async resultOf(id: string, { result }: Receipt): Promise<unknown> {
    if (result !== undefined) return decode(fromText(result));
    const bytes = await this.#get('result', id);
    if (bytes === null) throw lost('result', id);
    return decode(bytes);
  }

  /** What the task threw, which may be undefined; null: it is not kept. */
  async thrownBy(id: string): Promise<{ readonly reason: unknown } | null> {
    const bytes = await this.#get('error', id);
    return bytes === null ? null : { reason: decodeError(bytes) };
  }

  /** For an outcome that was read and has no further reader. */
  async dropOutcome(id: string): Promise<void> {
    await this.client.unlink(this.keyOf('result', id), this.keyOf('error', id));
  }

  async #put(kind: Kind, id: string, bytes: Uint8Array, keep: number): Promise<void> {
    await this.client.set(this.keyOf(kind, id), asBuffer(bytes), 'PX', keep);
  }

  #get(kind: Kind, id: string): Promise<Buffer | null> {
    return this.client.getBuffer(this.keyOf(kind, id));
  }
}

type Kind = 'task' | 'result' | 'error';

const lost = (kind: Kind, id: string): FleetError =>
  new FleetError('PLIMSOLL_FLEET_LOST', `The ${kind} of job ${id} is no longer kept`);
