import { UncloneableError } from '../../errors.js';
import { CARRIED } from '../../shared/calls.js';
import type { OpenTelemetryApi, Span } from '../../shared/otel-api.js';
import type { Packed } from '../../shared/packed.js';
import type { Storages } from '../../shared/stores.js';
import type { HandlerNames } from '../handler-names.js';
import { type TaskEvent, TaskEvents } from './events.js';
import { Spans } from './spans.js';

/** What the escort needs of the pool. */
export interface Escorted {
  readonly handlers: HandlerNames;
  /** Tasks that were not accepted so far. */
  readonly refused: number;
  /** Reads what workers have posted. */
  readMessages(): void;
}

/** What goes with one task. */
interface Company {
  readonly event: TaskEvent;
  readonly span: Span | undefined;
}

type Submit = (value: unknown, handler: number) => Promise<unknown>;

/**
 * What travels with tasks: stores, trace context, and the events and spans that tell of them. Made for a pool that has such an
 * option, or when somebody has subscribed to the events.
 */
export class Escort {
  readonly #pool: Escorted;
  readonly #storages: readonly (readonly [string, Storages[string]])[];
  readonly #spans: Spans | undefined;
  readonly #events = new TaskEvents();

  constructor(pool: Escorted, storages: Storages | undefined, api: OpenTelemetryApi | undefined) {
    this.#pool = pool;
    this.#storages = Object.entries(storages ?? {});
    this.#spans = api && new Spans(api);
  }

  /** A worker has called the function of a task. */
  started(id: number, time: number, threadId: number): void {
    this.#events.started(id, time, threadId);
  }

  /** Submits a task with all that belongs to it. */
  run(value: unknown, handler: number, submit: Submit): Promise<unknown> {
    const { filename, name, call } = this.#pool.handlers.of(handler);
    const company = { event: this.#events.begin(name, filename), span: this.#spans?.start(name, filename) };
    const packed = this.#pack(value, company);
    const id = packed === undefined ? handler : this.#pool.handlers.idOf(filename, name, call | CARRIED);
    const { refused } = this.#pool;
    const promise = submit(packed ?? value, id);
    if (this.#pool.refused === refused) this.#events.queued(company.event);
    return promise.then(
      (result) => this.#end(company, result),
      (error: unknown) => this.#fail(company, packed === undefined ? error : unpacked(error)),
    );
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

  #end({ event, span }: Company, result: unknown): unknown {
    this.#settle(event);
    if (span !== undefined) this.#spans?.end(span);
    return result;
  }

  #fail({ event, span }: Company, error: unknown): never {
    event.error = error;
    this.#settle(event);
    if (span !== undefined) this.#spans?.end(span, { error });
    throw error;
  }

  /** The worker posts that the task begins before it reports its end; but the end is read from the table, maybe sooner. */
  #settle(event: TaskEvent): void {
    if (this.#events.isAwaited(event)) this.#pool.readMessages();
    this.#events.settled(event);
  }
}

const TASK = 'task.task';
const CONTEXT = 'task.context';

/** Names a part of what was sent by where the caller has it. */
function unpacked(error: unknown): unknown {
  if (!(error instanceof UncloneableError)) return error;
  const { path, message, cause } = error;
  if (!path.startsWith(TASK) && !path.startsWith(CONTEXT)) return error;
  const what = message.slice(message.indexOf(': ') + 2);
  return new UncloneableError(path.slice('task.'.length), what, { cause });
}
