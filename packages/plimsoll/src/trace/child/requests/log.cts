import append = require('../append.cjs');
import constants = require('../constants.cjs');
import context = require('../context.cjs');
import labels = require('./labels.cjs');
import sampler = require('./sampling.cjs');
import table = require('./table.cjs');

type Context = ReturnType<typeof context.current>;
type Kind = (typeof table.KINDS)[number];
type End = (typeof table.ENDS)[number];

/** A request that has begun. */
interface Open {
  /** From 1 on. */
  readonly number: number;
  /** What its code runs in; `null` when it is not sampled. */
  readonly context: Context | null;
  isOver: boolean;
}

const NONE: Context = { request: 0, operation: 0 };

/** Between two clocks: whatever comes between two readings makes it smaller. */
const OFFSET_US = Math.max(...Array.from({ length: 10 }, () => constants.now() - performance.now() * 1000));

/** Microseconds on the clock of trace events, for a third of what a bigint costs. */
const now = (): number => performance.now() * 1000 + OFFSET_US;

/** Call a function as part of a request, so that what it begins is known to belong to it. */
function inside<Result>({ context: own }: Open, run: () => Result): Result {
  // The server itself may have been started in the middle of a request.
  if (own === null) return context.current().request === 0 ? run() : context.storage.run(NONE, run);
  return context.storage.run(own, run);
}

/** The requests of this thread. */
class RequestLog {
  readonly table: InstanceType<typeof table.RequestTable>;
  readonly routes: InstanceType<typeof labels.Routes>;
  readonly samplesAll: boolean;
  readonly shouldSample: (name: string) => boolean;
  #connections = 0;

  /** @param share of the requests whose operations are recorded, 1 for all. */
  constructor(file: string, thread: number, share: number) {
    this.table = new table.RequestTable();
    this.routes = new labels.Routes((route, name) => append(file, [{ type: 'route', thread, route, name }]));
    this.samplesAll = !(share < 1);
    this.shouldSample = sampler(share);
  }

  nextConnection(): number {
    return ++this.#connections;
  }

  /** @returns `null` when no more are recorded. */
  begin(kind: Kind, connection: number, isSampled: boolean): Open | null {
    const number = this.table.begin(kind, connection, isSampled, now());
    if (number === 0) return null;
    return { number, context: isSampled ? { request: number, operation: 0 } : null, isOver: false };
  }

  /** The first end counts. */
  end(open: Open, end: End, route: () => number): void {
    if (open.isOver) return;
    open.isOver = true;
    const at = now();
    this.table.end(open.number, end, at, route());
  }
}

export = { RequestLog, inside };
