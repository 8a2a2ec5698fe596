import { WorkerError } from '../errors.js';
import { now } from '../shared/clock.js';
import type { Quarantining } from './fault-options.js';
import type { HandlerName } from './handler-names.js';

/** A function of a file, however it is called. */
export type FunctionName = Pick<HandlerName, 'filename' | 'name'>;

/** A function that has ended workers. */
interface Suspect {
  /** When they ended; those of `within` alone. */
  readonly deaths: readonly number[];
  /** Its tasks are rejected until then; 0: they are not. */
  readonly until: number;
  readonly last: WorkerError;
}

const keyOf = ({ filename, name }: FunctionName): string => `${filename}\0${name}`;

/** Keeps functions that end one worker after another from being called. */
export class Quarantine {
  readonly #suspects = new Map<string, Suspect>();
  readonly #options: Quarantining;

  constructor(options: Quarantining) {
    this.#options = options;
  }

  /** A worker has ended while it ran a function. True: that is in quarantine from now on. */
  died(handler: FunctionName, last: WorkerError): boolean {
    const { deaths: most, within, pause } = this.#options;
    const time = now();
    const before = this.#suspects.get(keyOf(handler))?.deaths ?? [];
    const deaths = [...before.filter((death) => time - death < within), time];
    const isFull = deaths.length >= most;
    this.#suspects.set(keyOf(handler), {
      deaths: isFull ? [] : deaths,
      until: isFull ? time + pause : 0,
      last,
    });
    return isFull;
  }

  /** Why the tasks of a function are rejected, if they are. */
  refusal(handler: FunctionName): WorkerError | undefined {
    const suspect = this.#suspects.get(keyOf(handler));
    if (suspect === undefined || now() >= suspect.until) return undefined;
    const { last } = suspect;
    const what = `'${handler.name}' of ${handler.filename} has ended one worker after another`;
    const message = `${what}, so it is not called for now: ${last.message}`;
    return new WorkerError('PLIMSOLL_POOL_QUARANTINED', message, last, { cause: last });
  }

  /** Is any function in quarantine? */
  get isAny(): boolean {
    const time = now();
    for (const { until } of this.#suspects.values()) if (time < until) return true;
    return false;
  }
}
