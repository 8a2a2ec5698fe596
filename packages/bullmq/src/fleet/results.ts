import { now, timers } from '@plimsoll/pool/internal';
import { type Job, type Queue, QueueEvents } from 'bullmq';
import { FleetError } from '../errors.js';
import type { Client } from '../shared/connection.js';
import { eventsKeyOf, type QueuePlace } from '../shared/keys.js';
import type { Payloads, Receipt } from '../shared/wire.js';
import type { Pending, PendingTasks } from './pending.js';

/** Milliseconds without news of a task after which Redis is asked for it. */
const SILENCE = 10_000;
/** Tasks that are asked for at a time. */
const CHUNK = 200;
/** Tasks that are asked for every five seconds: a host may wait for more than Redis should be asked for. */
const MOST_LOOKS = 1_000;
/** Looks that do not find a job until it counts as lost: an event may still tell of it. */
const MOST_MISSES = 2;
/** Milliseconds from a look that has not found a job to the next one. */
const MISSED = 1_000;

/** Where results come from, and who hears of them. */
export interface ResultSite {
  readonly queue: Queue;
  readonly client: Client;
  readonly place: QueuePlace;
  readonly payloads: Payloads;
  readonly pending: PendingTasks;
  succeeded(task: Pending, value: unknown, ms: number): void;
  failed(task: Pending, reason: unknown): void;
  stalled(id: string): void;
  error(error: Error): void;
}

/**
 * Brings the results of pending tasks, by BullMQ's events. What an event does not bring, because the connection was gone or the
 * stream was trimmed, is asked for: no task waits for ever.
 */
export class Results {
  readonly #site: ResultSite;
  readonly #looking: NodeJS.Timeout;
  #events: QueueEvents | undefined;
  #isClosed = false;

  constructor(site: ResultSite) {
    this.#site = site;
    this.#looking = setInterval(() => void this.#lookAtSilent(), SILENCE / 2).unref();
  }

  /** After this, no event is missed. */
  async open(): Promise<void> {
    if (this.#events !== undefined) return;
    const key = eventsKeyOf(this.#site.place);
    // The last event so far, not "from now on": then a job could be added and done before the first look for events.
    const [[last]] = await Promise.all([
      this.#site.client.xrevrange(key, '+', '-', 'COUNT', 1),
      // Whom Redis does not let read events hears of it now, and not of each result when it is asked for.
      this.#site.client.xread('COUNT', 1, 'STREAMS', key, '$'),
    ]);
    if (this.#events !== undefined || this.#isClosed) return;
    const client = this.#site.client.duplicate() as Client;
    const { prefix, queue } = this.#site.place;
    const events = new QueueEvents(queue, { connection: client, prefix, lastEventId: last?.[0] ?? '0-0' });
    this.#events = events;
    events.on('error', (error) => this.#site.error(error));
    events.on('completed', ({ jobId, returnvalue }) =>
      this.#heard(jobId, (task) => this.#completed(task, returnvalue)),
    );
    events.on('failed', ({ jobId, failedReason }) =>
      this.#heard(jobId, (task) => this.#failed(task, failedReason)),
    );
    events.on('removed', ({ jobId }) => this.#heard(jobId, (task) => this.#lookAgain(task)));
    events.on('stalled', ({ jobId }) => this.#site.stalled(jobId));
  }

  /** Asks for all tasks: after the connection was gone. */
  lookAtAll(): Promise<void> {
    return this.#look(this.#site.pending.all());
  }

  /** Those first that were not asked for for longest. When Redis has forgotten all of these, the others follow at once. */
  async #lookAtSilent(): Promise<void> {
    let looked: readonly Pending[];
    do {
      const end = now() - SILENCE;
      const silent = this.#site.pending.all().filter(({ isAdded, lookedAt }) => isAdded && lookedAt <= end);
      looked = silent.sort((one, other) => one.lookedAt - other.lookedAt).slice(0, MOST_LOOKS);
      await this.#look(looked);
    } while (looked.length === MOST_LOOKS && looked.every(({ misses }) => misses > 0));
  }

  async #look(tasks: readonly Pending[]): Promise<void> {
    const added = tasks.filter(({ isAdded }) => isAdded);
    for (let at = 0; at < added.length; at += CHUNK) {
      try {
        await Promise.all(added.slice(at, at + CHUNK).map((task) => this.lookFor(task)));
      } catch {
        // Redis is gone again; the link tells of it, and there will be another look.
        return;
      }
    }
  }

  /** What has become of one task. */
  async lookFor(task: Pending): Promise<void> {
    task.lookedAt = now();
    const state = await this.#site.queue.getJobState(task.id);
    if (state === 'unknown') {
      if (++task.misses >= MOST_MISSES) this.#site.failed(task, lost(task.id));
      else timers.setTimeout(() => this.#lookAgain(task), MISSED).unref();
      return;
    }
    task.misses = 0;
    if (state !== 'completed' && state !== 'failed') return;
    const job: Job | undefined = await this.#site.queue.getJob(task.id);
    if (job === undefined) return;
    if (state === 'completed') this.#completed(task, job.returnvalue);
    else this.#failed(task, job.failedReason);
  }

  close(): void {
    this.#isClosed = true;
    clearInterval(this.#looking);
    void this.#events?.close().catch(() => {});
  }

  /** An event may be of an earlier job of the same `jobId`; then it is no more than a reason to look. */
  #heard(id: string, settle: (task: Pending) => void): void {
    for (const task of this.#site.pending.of(id)) {
      if (!task.isShared) settle(task);
      else if (task.isAdded) this.#lookAgain(task);
    }
  }

  #completed(task: Pending, receipt: unknown): void {
    const { ms = 0, result } = Object(receipt) as Partial<Receipt>;
    this.#settle(
      task,
      result === undefined,
      () => this.#site.payloads.resultOf(task.id, result === undefined ? { ms } : { ms, result }),
      (value) => this.#site.succeeded(task, value, ms),
    );
  }

  #failed(task: Pending, reason: string): void {
    const { id } = task;
    const stalled = stalledOf(id, reason);
    this.#settle(
      task,
      true,
      async () => {
        // What is kept beside a job that BullMQ itself has failed is of an earlier attempt.
        const thrown = stalled === undefined ? await this.#site.payloads.thrownBy(id) : { reason: stalled };
        return thrown === null ? failureOf(id, reason) : thrown.reason;
      },
      (error) => this.#site.failed(task, error),
    );
  }

  #lookAgain(task: Pending): void {
    if (!task.isSettled && !this.#isClosed) void this.lookFor(task).catch(() => {});
  }

  /** Each waiter of a job reads a value of its own: two must not share an object. */
  #settle(
    task: Pending,
    isBeside: boolean,
    read: () => Promise<unknown>,
    settle: (value: unknown) => void,
  ): void {
    read().then(
      (value) => {
        settle(value);
        if (isBeside && !task.isShared) void this.#site.payloads.dropOutcome(task.id).catch(() => {});
      },
      (reason: unknown) => this.#unread(task, reason),
    );
  }

  /** A connection that breaks while an outcome is read is nothing but a delay. */
  #unread(task: Pending, reason: unknown): void {
    const { code } = Object(reason) as { code?: unknown };
    if (typeof code === 'string' && code.startsWith('PLIMSOLL_')) this.#site.failed(task, reason);
  }
}

const lost = (id: string): FleetError =>
  new FleetError('PLIMSOLL_FLEET_LOST', `Job ${id} is gone from Redis, and its result was not read in time`);

/** What BullMQ says; a task may throw a text that is like it. */
const STALLED = 'job stalled more than allowable limit';

function stalledOf(id: string, reason: string): FleetError | undefined {
  if (reason !== STALLED) return undefined;
  const message = `Job ${id} lost its worker process too often (maxStalledCount); it may have ended these processes`;
  return new FleetError('PLIMSOLL_FLEET_STALLED', message);
}

const failureOf = (id: string, reason: string): FleetError =>
  new FleetError('PLIMSOLL_FLEET_FAILED', `Job ${id} failed: ${reason}`);
