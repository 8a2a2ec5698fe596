import { notedFunctions } from './noted-functions.mjs';
import { Random } from './random.mjs';

// What must hold of a pool, whatever is done to it: the promises that are pending, checked after each step. What does not hold is a
// fault, as a text.

/** Steps in which a promise has to settle or a loop has to get an item once nothing new comes, while streams go on for ever. */
const PATIENCE = 1500;
/** With real threads a step is a millisecond, in which a busy machine may do nothing at all. */
const REAL_PATIENCE = 60_000;
/** Virtual milliseconds of the same: more than all timeouts, backoffs and pauses that come one after another. */
const MOST_TIME = 20_000;
const CLOSE_TIMEOUT = 3_600_000;
/** Virtual milliseconds that `close()` may take when nothing is left to wait for: a worker that retires looks each 5 ms. */
const CLOSING = 1000;
/** A worker's state: it takes tasks. */
const READY = 1;

export class Books {
  faults = [];
  log = [];
  random;
  pool;
  options;
  /** Promises that are not settled, by a name. */
  open = new Map();
  /** Promises of `run()` and parts of `broadcast()` that count as outstanding. */
  counted = new Map();
  loops = new Set();
  /** Items of loops are tasks that only the pool knows. */
  hasLooped = false;
  mayRunTwice = false;
  tasks = 0;
  /** Promises that have settled, and items that loops have got which end. */
  progress = 0;
  starts = 0;
  ends = 0;
  keys = new Set();
  /** Those that are not settled: their parts wait for one worker each, as tasks with a key do. */
  broadcasts = 0;
  onlyKeys;
  isReal;
  isPaused = false;
  stops = false;

  constructor(newPool, seed, isReal) {
    this.isReal = isReal;
    const random = new Random(seed);
    this.random = random;
    this.onlyKeys = random.chance(0.08);
    this.options = this.onlyKeys
      ? { minThreads: 1, maxThreads: random.between(2, 6), idleTimeout: Number.POSITIVE_INFINITY }
      : optionsOf(random);
    this.mayRunTwice = this.options.retry !== undefined;
    const mayRunTwice = () => this.mayRunTwice;
    const functions = notedFunctions(random.chance(0.3), mayRunTwice, (what) => this.fault(what));
    const host = this.hostFunctions();
    const hostTimeout = isReal ? 300 : random.between(1, 300);
    const options = { closeTimeout: CLOSE_TIMEOUT, recordTiming: false, host, hostTimeout, ...this.options };
    this.pool = newPool(options, functions, random.bits());
    this.log.push(JSON.stringify(this.options));
    this.pool.on('error', (error) => {
      if (error?.code === 'PLIMSOLL_POOL_CLOSE_TIMEOUT') this.fault('close() has timed out');
    });
    this.pool.on('workerCreate', () => this.starts++);
    this.pool.on('workerDestroy', () => this.ends++);
  }

  fault(what) {
    this.faults.push(what);
  }

  /** What is left of a program that went wrong shall not keep others busy. */
  drop() {
    this.stops = true;
    this.pool.destroy().catch(() => {});
  }

  get patience() {
    return this.isReal ? REAL_PATIENCE : PATIENCE;
  }

  async steps(count) {
    for (let step = 0; step < count; step++) {
      if ((await this.pool.step()) === undefined) {
        this.checkIdle();
        return false;
      }
      this.check();
    }
    return true;
  }

  /** Promises that are pending and known, beside those that only the pool knows. */
  check() {
    const outstanding = this.pool.outstanding();
    const least = this.counted.size;
    if (outstanding < least) this.fault(`${outstanding} tasks are outstanding, ${least} promises pending`);
    if (!this.hasLooped && outstanding !== least)
      this.fault(`${outstanding} tasks are outstanding, and ${least} promises pending`);
    if (this.onlyKeys && this.starts > this.keys.size + 1)
      this.fault(`${this.starts} workers were started for ${this.keys.size} keys`);
  }

  /** Nothing can happen without time: then no worker idles while a task waits that it may take. */
  checkIdle() {
    const { queueSize, idleThreads } = this.pool;
    const isForAnybody = this.keys.size === 0 && this.broadcasts === 0;
    if (queueSize > 0 && idleThreads > 0 && isForAnybody && !this.isPaused)
      this.fault(`${queueSize} tasks wait, and ${idleThreads} workers idle`);
    const { queue, workers } = this.pool.core;
    // Whatever is counted: one that has nothing could take the next task from the queue.
    const idle = workers.filter((worker) => worker.state === READY && worker.hasNothing);
    if (queue.size > 0 && idle.length > 0 && isForAnybody && !this.isPaused)
      this.fault(`${queue.size} tasks are in the queue, and ${idle.length} workers have nothing`);
  }

  watch(name, promise, counts = true) {
    const id = `${name} ${this.tasks++}`;
    this.open.set(id, promise);
    if (counts) this.counted.set(id, promise);
    const end = () => {
      this.progress++;
      this.open.delete(id);
      this.counted.delete(id);
    };
    promise.then(end, (error) => {
      end();
      // No signal, timeout or key of its own, so what stops workers must have spared it.
      if (['plain', 'transfer'].includes(name) && error?.code === 'PLIMSOLL_POOL_WORKER_STOPPED')
        this.fault(`${id} was lost: ${error.message}`);
    });
    return id;
  }

  loop(promise) {
    this.hasLooped = true;
    this.loops.add(promise);
    const end = () => this.loops.delete(promise);
    promise.then(end, end);
  }

  /** Nothing new comes: one promise after another settles in bounded steps and time, whatever streams go on meanwhile. */
  async settleAll() {
    let progress = -1;
    let end = 0;
    for (let step = 0; this.open.size > 0 && this.faults.length === 0; step++) {
      if (this.progress > progress) {
        progress = this.progress;
        end = this.pool.duration + (this.isReal ? REAL_PATIENCE : MOST_TIME);
        step = 0;
      } else if (step > this.patience && this.pool.duration > end) {
        this.fault(`hangs: ${[...this.open.keys()].slice(0, 8).join(', ')} (${this.open.size})`);
        return;
      }
      if (!(await this.steps(1))) await this.pool.advance(50);
      // A stream that goes on for ever must not hold up time.
      else if (step % 8 === 0) await this.pool.advance(40);
    }
    await new Promise(setImmediate);
  }

  /** Closes the pool in some way, and may run tasks before; then nothing of it may live. @param runLate runs one. */
  async end(runLate) {
    const how = this.random.weighted({ close: 4, force: 3, both: 2, destroy: 1 });
    const leavesStreams = how !== 'close' && this.random.chance(0.5);
    this.log.push(how);
    if (!leavesStreams) this.stops = true;
    for (let step = 0; !leavesStreams && this.loops.size > 0; step++) {
      if (step > this.patience) return this.fault('loops do not end');
      if (!(await this.steps(1))) await this.pool.advance(20);
    }
    const late = this.random.chance(0.3) && how !== 'destroy' ? this.random.between(1, 5) : 0;
    // Those may need workers of their own.
    this.onlyKeys = false;
    // No event comes after the last of them, but for its end.
    for (let task = 0; task < late; task++) runLate();
    const from = this.pool.duration;
    const closed = how === 'destroy' ? this.pool.destroy() : this.pool.close({ force: how === 'force' });
    const ends = how === 'both' ? [closed, this.pool.close({ force: true })] : [closed];
    let isOver = false;
    void Promise.allSettled(ends).then((outcomes) => {
      isOver = true;
      for (const { reason } of outcomes)
        if (reason?.code === 'PLIMSOLL_POOL_CLOSE_TIMEOUT') this.fault(`${how}: ${reason.message}`);
    });
    await new Promise(setImmediate);
    for (let step = 0; !isOver; step++) {
      const late = this.isReal ? REAL_PATIENCE : CLOSING;
      if (step > this.patience || this.pool.duration > from + late) return this.fault(`${how} does not end`);
      if (!(await this.steps(1))) await this.pool.advance(5);
    }
    await new Promise(setImmediate);
    const pending = [...this.open.keys()];
    if (pending.length > 0) this.fault(`pending after ${how}: ${pending.slice(0, 8).join(', ')}`);
    const outstanding = this.pool.outstanding();
    if (outstanding !== 0) this.fault(`${outstanding} tasks are outstanding after ${how}`);
    const { size } = this.pool.core.blocked;
    if (size > 0) this.fault(`${size} calls of the host are left after ${how}`);
    if (this.ends < this.starts) this.fault(`${this.starts - this.ends} workers live after ${how}`);
  }
}

function optionsOf(random) {
  const maxThreads = random.between(1, 4);
  const options = { minThreads: random.between(0, maxThreads), maxThreads };
  if (random.chance(0.3)) options.concurrentTasksPerWorker = random.between(2, 4);
  if (random.chance(0.2)) options.retry = { max: random.between(1, 2), backoff: random.between(0, 100) };
  if (random.chance(0.3)) options.breaker = { failures: random.between(1, 3), pause: random.between(1, 500) };
  if (random.chance(0.2)) options.maxTasksPerWorker = random.between(1, 5);
  if (random.chance(0.1)) options.maxQueue = random.between(0, 20);
  if (random.chance(0.5)) options.idleTimeout = random.of([0, 100, 10_000, Number.POSITIVE_INFINITY]);
  return options;
}
