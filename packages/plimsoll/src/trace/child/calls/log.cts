import append = require('../append.cjs');
import context = require('../context.cjs');
import record = require('./record.cjs');
import CallRing = require('./ring.cjs');

type Context = ReturnType<typeof context.current>;

const { RECORD, KIND, KINDS, CAUSE, CAUSES } = record;

/** Names that are told apart; all others have number 0. */
const MOST_NAMES = 4000;

const CLOCK_READINGS = 50;

/** From performance.now() to the clock of trace events, in microseconds: whatever comes between two readings makes it smaller. */
const clockOffset = (): number =>
  Math.max(
    ...Array.from(
      { length: CLOCK_READINGS },
      () => Number(process.hrtime.bigint()) / 1000 - performance.now() * 1000,
    ),
  );

/** What runs in this turn of the event loop: why, and the job whose result it takes or, for a timer, which created it. */
interface Task {
  readonly cause: number;
  readonly job: number;
}

const START: Task = { cause: CAUSE.other, job: 0 };

/** The calls of a thread and the jobs that they give the pool. */
class CallLog {
  readonly ring = new CallRing();
  readonly #file: string;
  readonly #thread: number;
  readonly #offset = clockOffset();
  readonly #now = performance.now.bind(performance);
  readonly #codes = new Map<string, number>();
  #jobs = 0;
  #operations = 0;
  task: Task = START;

  constructor(file: string, thread: number) {
    this.#file = file;
    this.#thread = thread;
  }

  /** Microseconds of process.hrtime. */
  now(): number {
    return this.#now() * 1000 + this.#offset;
  }

  /** The number of a name. */
  code(name: string): number {
    const known = this.#codes.get(name);
    if (known !== undefined) return known;
    if (this.#codes.size >= MOST_NAMES) return 0;
    const code = this.#codes.size + 1;
    this.#codes.set(name, code);
    append(this.#file, [{ type: 'name', thread: this.#thread, code, name }]);
    return code;
  }

  /** A job is submitted: its number. */
  job(kind: number, name: number): number {
    const { request, operation } = context.current();
    const { cause, job } = this.task;
    const number = ++this.#jobs;
    // A call of fs without a name may be one that walks a tree and gives the pool many jobs.
    if (kind === KIND.fs && name === 0) this.ring.countUncounted(1);
    else if (kind !== KIND.fs && kind !== KIND.dns) this.ring.countTraced();
    const target = operation === 0 ? -request * CAUSES - cause : operation * CAUSES + cause;
    this.ring.put(RECORD.job, this.now(), number, name * KINDS + kind, target, job);
    return number;
  }

  /** The last job turns out to be this call of fs. */
  nameJob(job: number, name: number): void {
    this.ring.countUncounted(-1);
    this.ring.setKind(job, name * KINDS + KIND.fs);
  }

  returned(job: number): void {
    this.ring.put(RECORD.return, this.now(), job, 0, 0, 0);
  }

  /** An operation begins for a request: what its code runs in. */
  begin(name: number, request: number): Context {
    const operation = ++this.#operations;
    this.ring.put(RECORD.begin, this.now(), operation, name, request, 0);
    return { request, operation };
  }

  end(operation: number): void {
    this.ring.put(RECORD.end, this.now(), operation, 0, 0, 0);
  }
}

export = CallLog;
