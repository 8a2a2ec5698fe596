import append = require('../append.cjs');
import constants = require('../constants.cjs');
import context = require('../context.cjs');
import labels = require('../../../target/child/labels.cjs');
import type sampled = require('../sampling.cjs');
import table = require('./table.cjs');

type Context = ReturnType<typeof context.current>;
type Kind = (typeof table.KINDS)[number];
type End = (typeof table.ENDS)[number];
type Sampling = InstanceType<typeof sampled.Sampling>;

/** A request that has begun. */
interface Open {
  /** From 1 on. */
  readonly number: number;
  /** What its code runs in; `null` when it began while nothing was recorded. */
  readonly context: Context | null;
  /** All that it does is recorded. */
  isFollowed: boolean;
  readonly start: number;
  /** The number of its route, as far as it is known when it is asked for. */
  route: () => number;
  /** The pattern of its route; set by what knows the framework. */
  pattern: (() => unknown) | null;
  isOver: boolean;
}

const { now } = constants;
const NONE: Context = { request: 0, operation: 0 };

/** A request that goes on for so long, such as a stream of events, has its route told before its end. */
const LONG_US = 1_000_000;

/** Call a function as part of a request, so that what it begins is known to belong to it. */
function inside<Result>({ context: own }: Open, run: () => Result): Result {
  // The server itself may have been started in the middle of a request.
  if (own === null) return context.current().request === 0 ? run() : context.run(NONE, run);
  return context.run(own, run);
}

/** The requests of this thread. */
class RequestLog {
  readonly table: InstanceType<typeof table.RequestTable>;
  readonly routes: InstanceType<typeof labels.Routes>;
  readonly #sampling: Sampling;
  readonly #open = new Map<number, Open>();
  #connections = 0;
  #turn = -1;
  #turnAt = 0;

  constructor(file: string, thread: number, sampling: Sampling) {
    this.table = new table.RequestTable();
    this.routes = new labels.Routes((route, name) => append(file, [{ type: 'route', thread, route, name }]));
    this.#sampling = sampling;
    sampling.watch({
      changed: (isRecording) => {
        if (!isRecording) this.#unfollow();
      },
    });
    setInterval(() => this.#nameOpen(now() - LONG_US), LONG_US / 1000).unref();
    process.once('exit', () => this.#nameOpen(now()));
  }

  nextConnection(): number {
    return ++this.#connections;
  }

  /**
   * When what arrives now was there: of all that the event loop finds in one turn, when the first was taken. The others
   * were there, too, but had to wait for what came before them.
   */
  arrival(): number {
    const turn = performance.nodeTiming.uvMetricsInfo?.loopCount ?? -1;
    if (turn === this.#turn && turn >= 0) return this.#turnAt;
    this.#turn = turn;
    this.#turnAt = now();
    return this.#turnAt;
  }

  /** @returns `null` when no more are recorded. */
  begin(kind: Kind, connection: number, route: () => number, start = now()): Open | null {
    const isFollowed = this.#sampling.begins();
    const number = this.table.begin(kind, connection, isFollowed, start);
    if (number === 0) {
      if (isFollowed) this.#sampling.ends();
      return null;
    }
    const context = this.#sampling.isRecording ? { request: number, operation: 0 } : null;
    const open: Open = { number, context, isFollowed, start, route, pattern: null, isOver: false };
    this.#open.set(number, open);
    return open;
  }

  /** What has that number and has not ended. */
  find(number: number): Open | undefined {
    return this.#open.get(number);
  }

  /** The first end counts. */
  end(open: Open, end: End): void {
    if (open.isOver) return;
    open.isOver = true;
    this.#open.delete(open.number);
    if (open.isFollowed) this.#sampling.ends();
    const at = now();
    this.table.end(open.number, end, at, open.route());
  }

  /** What goes on is recorded no more. */
  #unfollow(): void {
    for (const open of this.#open.values()) {
      if (open.isFollowed) this.table.leave(open.number);
      open.isFollowed = false;
    }
  }

  #nameOpen(before: number): void {
    for (const open of this.#open.values())
      if (open.start <= before) this.table.name(open.number, open.route());
  }
}

export = { RequestLog, inside };
