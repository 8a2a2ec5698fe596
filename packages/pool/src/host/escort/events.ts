import { channel } from 'node:diagnostics_channel';
import { now } from '../../shared/clock.js';

/**
 * What is published to the channels `plimsoll.pool.task.queued`, `.started` and `.settled`: the same object for all events of a
 * task. Times are milliseconds by one clock.
 */
export interface TaskEvent {
  /** A number that no other task of the process has. */
  readonly id: number;
  readonly name: string;
  readonly filename: string;
  readonly queuedAt: number;
  /** When its worker called the function; undefined: it has not. */
  startedAt: number | undefined;
  /** The worker that called the function. */
  threadId: number | undefined;
  settledAt: number | undefined;
  /** Why the promise was rejected. */
  error?: unknown;
}

const queued = channel('plimsoll.pool.task.queued');
const started = channel('plimsoll.pool.task.started');
const settled = channel('plimsoll.pool.task.settled');

/** Does anybody want to hear of tasks? */
export const isWatched = (): boolean =>
  queued.hasSubscribers || started.hasSubscribers || settled.hasSubscribers;

let ids = 0;

/** Publishes the events of one pool's tasks. */
export class TaskEvents {
  /** Those that were sent with the wish to hear of their start. */
  readonly #awaited = new Map<number, TaskEvent>();

  begin(name: string, filename: string): TaskEvent {
    const times = { queuedAt: now(), startedAt: undefined, threadId: undefined, settledAt: undefined };
    return { id: ids++, name, filename, ...times };
  }

  /** The number by which its worker shall tell of its start; undefined: nobody listens. */
  await(event: TaskEvent): number | undefined {
    if (!started.hasSubscribers) return undefined;
    this.#awaited.set(event.id, event);
    return event.id;
  }

  isAwaited({ id }: TaskEvent): boolean {
    return this.#awaited.has(id);
  }

  queued(event: TaskEvent): void {
    queued.publish(event);
  }

  started(id: number, time: number, threadId: number): void {
    const event = this.#awaited.get(id);
    if (event === undefined) return;
    this.#awaited.delete(id);
    event.startedAt = time;
    event.threadId = threadId;
    started.publish(event);
  }

  settled(event: TaskEvent): void {
    this.#awaited.delete(event.id);
    event.settledAt = now();
    settled.publish(event);
  }
}
