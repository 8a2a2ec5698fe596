import { diedWithPool, diedWithWorker, kinds } from './kinds.mjs';

/** After so many lines about what is wrong, the rest is only counted. */
const MOST_LINES = 20;

/** Every task that was started, until it is settled, and how many ended how. */
export class Ledger {
  started = 0;
  settled = 0;
  twice = 0;
  wrong = 0;
  /** With workers that ran them. */
  lost = 0;
  /** With the only worker, before it was ready. */
  unstarted = 0;
  /** With their pools. */
  closed = 0;
  /** By kind, those that ended as they had to. */
  right = {};
  #open = new Map();
  #complain;

  constructor(complain) {
    this.#complain = complain;
  }

  get inFlight() {
    return this.#open.size;
  }

  /** What is not settled, oldest first. */
  get open() {
    return [...this.#open.values()];
  }

  get oldest() {
    return this.#open.values().next().value;
  }

  /** Starts a task of a kind. `site` knows whether its pool is being ended, and counts what was lost in it. */
  start(kind, bench, site) {
    const number = this.started++;
    const [run, isRight] = kinds[kind]({ ...bench, number });
    const task = { kind, number, at: performance.now(), isSettled: false };
    this.#open.set(number, task);
    const settle = (value, error) => {
      if (task.isSettled) this.twice++;
      task.isSettled = true;
      this.settled++;
      this.#open.delete(number);
      this.#judge(task, isRight(value, error), error, site);
    };
    run.then(
      (value) => settle(value, undefined),
      (error) => settle(undefined, error),
    );
  }

  #judge({ kind, number }, isRight, error, site) {
    if (isRight) this.right[kind] = (this.right[kind] ?? 0) + 1;
    else if (site.isEnding && diedWithPool(error)) this.closed++;
    else if (diedWithWorker(error)) {
      if (error.code === 'PLIMSOLL_POOL_START_FAILED') this.unstarted++;
      else this.lost++;
      site.lost(error);
    } else this.fault(`task ${number} (${kind}) ended with ${describe(error)}`);
  }

  /** Something is not as it must be. */
  fault(what) {
    this.wrong++;
    if (this.wrong <= MOST_LINES) this.#complain(`WRONG: ${what}`);
  }
}

/** Of a long text, its beginning. */
const describe = (error) =>
  error === undefined
    ? 'a value that is not its own'
    : `${error?.code ?? ''} ${String(error).slice(0, 200)} ${error?.stack?.slice(-300)}`;
