import { channel, tracingChannel } from 'node:diagnostics_channel';
import { CARRIED, type Packed } from '../shared/calls.js';
import { now } from '../shared/clock.js';
import { findOpenTelemetry, type OpenTelemetryApi, type Span, STATUS_ERROR } from '../shared/otel-api.js';
import { isError, messageOf } from '../shared/untrusted.js';
import type { FilledOptions } from './options.js';
import type { State } from './state.js';
import { Rejection, type Resolve, type Task } from './task.js';

/** What subscribers get: one object for all events of a task. Times are milliseconds of one clock. */
export interface TaskEvent {
  /** A number that no other task of the pool's thread has. */
  readonly id: number;
  readonly name: string;
  readonly filename: string;
  readonly queuedAt: number;
  /** When the worker called the function; undefined: it has not, or `plimsoll.pool.task.started` has no subscriber. */
  startedAt: number | undefined;
  /** The thread id of the worker that called the function; undefined like `startedAt`. */
  threadId: number | undefined;
  settledAt: number | undefined;
  /** Why the promise was rejected. */
  error?: unknown;
}

const channels = tracingChannel('plimsoll.pool.task');
const started = channel('plimsoll.pool.task.started');

export const isWatched = (): boolean => channels.hasSubscribers || started.hasSubscribers;

export interface Journey {
  /** Submit these instead of the task's own. */
  readonly value: unknown;
  readonly handler: number;
  /** Call once the pool has accepted or refused the task. */
  queued(): void;
  /** Call with the value or `Rejection`. Subscribers hear of it in a microtask, not during the pool's work. */
  settled(outcome: unknown): void;
}

const settled = Promise.resolve();
let ids = 0;

/** Searches from the worker file first, because that is a file of the program. */
export function openTelemetryOf({ openTelemetry, filename }: FilledOptions): OpenTelemetryApi | undefined {
  if (typeof openTelemetry === 'object') return openTelemetry;
  if (openTelemetry !== true) return undefined;
  return findOpenTelemetry([filename, process.argv[1], `${process.cwd()}/`]);
}

/** Sends stores and trace context with tasks; reports events and spans. Made when a pool or a subscriber needs it. */
export class Escort {
  readonly #state: State;
  readonly #api: OpenTelemetryApi | undefined;
  readonly #awaited = new Map<number, TaskEvent>();

  constructor(state: State, api: OpenTelemetryApi | undefined) {
    this.#state = state;
    this.#api = api;
  }

  started(id: number, time: number, threadId: number): void {
    const event = this.#awaited.get(id);
    if (event === undefined) return;
    this.#awaited.delete(id);
    event.startedAt = time;
    event.threadId = threadId;
    started.publish(event);
  }

  submit(
    value: unknown,
    handler: number,
    resolve: Resolve,
    start: (value: unknown, handler: number, resolve: Resolve) => Task,
  ): Task {
    const journey = this.begin(value, handler);
    try {
      return start(journey.value, journey.handler, (outcome) => {
        journey.settled(outcome);
        resolve(outcome);
      });
    } catch (reason) {
      journey.settled(new Rejection(reason));
      throw reason;
    } finally {
      journey.queued();
    }
  }

  /** Call it right before the submission, in the async context of `run()` or of the start of the loop. */
  begin(value: unknown, handler: number): Journey {
    const { filename, name, call } = this.#state.handlers.of(handler);
    const times = { queuedAt: now(), startedAt: undefined, threadId: undefined, settledAt: undefined };
    const event: TaskEvent = { id: ids++, name, filename, ...times };
    channels.start.publish(event);
    // Asked each time, because an SDK may be registered after the pool was made.
    const attributes = { 'code.function.name': name, 'code.file.path': filename };
    const span = this.#api?.trace.getTracer('@plimsoll/pool').startSpan(`pool.run ${name}`, { attributes });
    const packed = this.#pack(value, event, span);
    return {
      value: packed ?? value,
      handler: packed === undefined ? handler : this.#state.handlers.idOf(filename, name, call | CARRIED),
      queued: () => channels.end.publish(event),
      settled: (outcome) => void settled.then(() => this.#settled(event, outcome, span)),
    };
  }

  #settled(event: TaskEvent, outcome: unknown, span: Span | undefined): void {
    // The worker posts the start before it reports the end, but the host may read the end first.
    if (this.#awaited.has(event.id)) for (const worker of this.#state.workers) worker.readMessages();
    this.#awaited.delete(event.id);
    event.settledAt = now();
    if (outcome instanceof Rejection) {
      event.error = outcome.reason;
      channels.error.publish(event);
    }
    channels.asyncStart.publish(event);
    channels.asyncEnd.publish(event);
    if (outcome instanceof Rejection) {
      if (isError(outcome.reason)) span?.recordException(outcome.reason);
      span?.setStatus({ code: STATUS_ERROR, message: messageOf(outcome.reason) });
    }
    span?.end();
  }

  #pack(task: unknown, event: TaskEvent, span: Span | undefined): Packed | undefined {
    const stores = Object.entries(this.#state.options.context ?? {})
      .map(([name, storage]) => [name, storage.getStore()] as const)
      .filter(([, store]) => store !== undefined);
    const trace: Record<string, string> = {};
    if (this.#api !== undefined && span !== undefined)
      this.#api.propagation.inject(this.#api.trace.setSpan(this.#api.context.active(), span), trace);
    if (started.hasSubscribers) this.#awaited.set(event.id, event);
    const packed = {
      task,
      ...(stores.length > 0 && { context: Object.fromEntries(stores) }),
      ...(Object.keys(trace).length > 0 && { trace }),
      ...(started.hasSubscribers && { notice: event.id }),
    };
    return Object.keys(packed).length === 1 ? undefined : packed;
  }
}
