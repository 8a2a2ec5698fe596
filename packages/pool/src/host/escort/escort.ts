import { CARRIED } from '../../shared/calls.js';
import type { OpenTelemetryApi } from '../../shared/otel-api.js';
import type { Packed } from '../../shared/packed.js';
import type { Storages } from '../../shared/stores.js';
import { type HandlerNames, Rejection } from '../task.js';
import { TaskEvents } from './events.js';
import { type Company, Journey, type Witnesses } from './journey.js';
import { Spans } from './spans.js';

/** What the escort needs of the pool. */
export interface Escorted {
  readonly handlers: HandlerNames;
  readonly state: { readonly refused: number };
  /** Reads what workers have posted. */
  readMessages(): void;
}

type Submit = (value: unknown, handler: number) => Promise<unknown>;

const settled = Promise.resolve();

/**
 * What travels with tasks: stores, trace context, and the events and spans that tell of them. Made for a pool that has such an
 * option, or when somebody has subscribed to the events.
 */
export class Escort {
  readonly #pool: Escorted;
  readonly #storages: readonly (readonly [string, Storages[string]])[];
  readonly #spans: Spans | undefined;
  readonly #events = new TaskEvents();
  readonly #witnesses: Witnesses;

  constructor(pool: Escorted, storages: Storages | undefined, api: OpenTelemetryApi | undefined) {
    this.#pool = pool;
    this.#storages = Object.entries(storages ?? {});
    this.#spans = api && new Spans(api);
    this.#witnesses = {
      events: this.#events,
      spans: this.#spans,
      readMessages: () => pool.readMessages(),
    };
  }

  /** A worker has called the function of a task. */
  started(id: number, time: number, threadId: number): void {
    this.#events.started(id, time, threadId);
  }

  /** The task is submitted right after this, where `run()` is called or a loop was begun. */
  begin(value: unknown, handler: number): Journey {
    const { filename, name, call } = this.#pool.handlers.of(handler);
    const company = { event: this.#events.begin(name, filename), span: this.#spans?.start(name, filename) };
    const packed = this.#pack(value, company);
    const sent =
      packed === undefined
        ? { value, handler, isPacked: false }
        : {
            value: packed,
            handler: this.#pool.handlers.idOf(filename, name, call | CARRIED),
            isPacked: true,
          };
    return new Journey(sent, company, this.#witnesses);
  }

  /** Submits a task with all that belongs to it. */
  run(value: unknown, handler: number, submit: Submit): Promise<unknown> {
    const journey = this.begin(value, handler);
    const { refused } = this.#pool.state;
    const promise = submit(journey.value, journey.handler);
    if (this.#pool.state.refused === refused) journey.queued();
    return promise.then(
      (result) => {
        journey.succeeded();
        return result;
      },
      (error: unknown) => {
        const reason = journey.reasonOf(error);
        journey.failed(reason);
        throw reason;
      },
    );
  }

  /**
   * The same for a task without a promise: `resolve` gets its result or a `Rejection`.
   * @throws why it is refused
   */
  start<Started>(
    value: unknown,
    handler: number,
    resolve: (value: unknown) => void,
    submit: (value: unknown, handler: number, resolve: (value: unknown) => void) => Started,
  ): Started {
    const journey = this.begin(value, handler);
    const onEnd = (result: unknown): void => {
      if (!(result instanceof Rejection)) {
        void settled.then(() => journey.succeeded());
        resolve(result);
        return;
      }
      const reason = journey.reasonOf(result.reason);
      void settled.then(() => journey.failed(reason));
      resolve(new Rejection(reason));
    };
    try {
      const started = submit(journey.value, journey.handler, onEnd);
      journey.queued();
      return started;
    } catch (error) {
      journey.failed(error);
      throw error;
    }
  }

  /** undefined: nothing has to travel. */
  #pack(task: unknown, { event, span }: Company): Packed | undefined {
    const context = this.#stores();
    const trace = span && this.#spans?.carrierOf(span);
    const notice = this.#events.await(event);
    if (context === undefined && trace === undefined && notice === undefined) return undefined;
    return {
      task,
      ...(context === undefined ? {} : { context }),
      ...(trace === undefined ? {} : { trace }),
      ...(notice === undefined ? {} : { notice }),
    };
  }

  #stores(): Record<string, unknown> | undefined {
    let stores: Record<string, unknown> | undefined;
    for (const [name, storage] of this.#storages) {
      const store = storage.getStore();
      if (store === undefined) continue;
      stores ??= {};
      stores[name] = store;
    }
    return stores;
  }
}
