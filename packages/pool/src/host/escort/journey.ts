import { UncloneableError } from '../../errors.js';
import type { Span } from '../../shared/otel-api.js';
import type { TaskEvent, TaskEvents } from './events.js';
import type { Spans } from './spans.js';

/** What belongs to one task while it is under way. */
export interface Company {
  readonly event: TaskEvent;
  readonly span: Span | undefined;
}

/** What is sent for a task. */
export interface Sent {
  readonly value: unknown;
  readonly handler: number;
  /** Something travels beside the task. */
  readonly isPacked: boolean;
}

/** Who tells of it. */
export interface Witnesses {
  readonly events: TaskEvents;
  readonly spans: Spans | undefined;
  /** Reads what workers have posted. */
  readMessages(): void;
}

/** A task from its submission to its end, with all that belongs to it. */
export class Journey {
  /** To be submitted in the place of the task's own. */
  readonly value: unknown;
  readonly handler: number;
  readonly #isPacked: boolean;
  readonly #company: Company;
  readonly #witnesses: Witnesses;

  constructor({ value, handler, isPacked }: Sent, company: Company, witnesses: Witnesses) {
    this.value = value;
    this.handler = handler;
    this.#isPacked = isPacked;
    this.#company = company;
    this.#witnesses = witnesses;
  }

  /** The pool has accepted the task. */
  queued(): void {
    this.#witnesses.events.queued(this.#company.event);
  }

  /** Calls what listens to events, which is code of the user's: not to be called in the middle of the pool's work. */
  succeeded(): void {
    this.#settle();
    const { span } = this.#company;
    if (span !== undefined) this.#witnesses.spans?.end(span);
  }

  /** The same. `reason` is one that the caller knows, see `reasonOf`. */
  failed(reason: unknown): void {
    const { event, span } = this.#company;
    event.error = reason;
    this.#settle();
    if (span !== undefined) this.#witnesses.spans?.end(span, { error: reason });
  }

  /** Why the task has failed, without a trace of what it was packed in. */
  reasonOf(error: unknown): unknown {
    return this.#isPacked ? unpacked(error) : error;
  }

  /** The worker posts that the task begins before it reports its end; but the end is read from the table, maybe sooner. */
  #settle(): void {
    const { events } = this.#witnesses;
    const { event } = this.#company;
    if (events.isAwaited(event)) this.#witnesses.readMessages();
    events.settled(event);
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
