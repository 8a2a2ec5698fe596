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
/**
 * Virtual milliseconds that `close()` may take when little is left to wait for: a worker that retires looks each 5 ms, and tasks that
 * were submitted late may have to wait for some pauses of a breaker, of a second each unless the program says otherwise.
 */
const CLOSING = 10_000;
/** Steps for which a worker may idle beside waiting tasks, with threads: it is on its way. */
const REAL_STALL = 3000;
/** Seeds, modulo 8, of programs whose pool has no functions of the host. */
const SILENT = [4, 6];
/** A worker's state: it takes tasks. */
const READY = 1;

export class Books {
  faults = [];
  log = [];
  random;
  pool;
  /** Makes one; a second one at the same time has another `place`. */
  newPool;
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
  /** Without functions of the host a pool does more ahead. */
  callsHost;
  isPaused = false;
  stops = false;
  /** Steps in a row after which a worker had nothing, and a task was in the queue. */
  stalled = 0;

  constructor(newPool, seed, isReal) {
    this.isReal = isReal;
    this.callsHost = !SILENT.includes(seed % 8);
    const random = new Random(seed);
    this.random = random;
    this.onlyKeys = this.onlyKeysOf(random);
    this.options = this.onlyKeys
      ? { minThreads: 1, maxThreads: random.between(2, 6), idleTimeout: Number.POSITIVE_INFINITY }
      : this.optionsOf(random);
    this.mayRunTwice = this.options.retry !== undefined;
    const mayRunTwice = () => this.mayRunTwice;
    const functions = notedFunctions(random.chance(0.3), mayRunTwice, (what) => this.fault(what));
    this.newPool = (options, seed, place) => newPool(options, functions, seed, place);
    const host = this.callsHost ? this.hostFunctions() : undefined;
    const hostTimeout = this.hostTimeoutOf(random);
    const options = { closeTimeout: CLOSE_TIMEOUT, recordTiming: false, host, hostTimeout, ...this.options };
    this.pool = this.newPool(options, random.bits());
    this.log.push(JSON.stringify(this.options, (_, value) => (value === Infinity ? 'Infinity' : value)));
    this.pool.on('error', (error) => {
      if (error?.code === 'PLIMSOLL_POOL_CLOSE_TIMEOUT') this.fault('close() has timed out');
    });
    this.pool.on('workerCreate', () => this.starts++);
    this.pool.on('workerDestroy', () => this.ends++);
  }

  onlyKeysOf(random) {
    return random.chance(0.08);
  }

  optionsOf(random) {
    return optionsOf(random);
  }

  hostTimeoutOf(random) {
    return this.isReal ? 300 : random.between(1, 300);
  }

  step() {
    return this.pool.step();
  }

  advance(milliseconds) {
    return this.pool.advance(milliseconds);
  }

  /** So many steps after the last progress? */
  passesTime(step) {
    return step % 8 === 0;
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
      if ((await this.step()) === undefined) {
        this.checkIdle();
        return false;
      }
      await this.check();
      if (this.isReal) this.checkStalled();
    }
    return true;
  }

  /** Promises that are pending and known, beside those that only the pool knows. */
  async check() {
    // Who waits for what has just been settled may hear of it a turn later.
    if (!this.#areRight) await new Promise(setImmediate);
    if (!this.#areRight)
      this.fault(`${this.pool.outstanding()} tasks are outstanding, ${this.counted.size} promises pending`);
    if (this.onlyKeys && this.starts > this.keys.size + 1)
      this.fault(`${this.starts} workers were started for ${this.keys.size} keys`);
  }

  get #areRight() {
    const outstanding = this.pool.outstanding();
    const pending = this.counted.size;
    return this.hasLooped ? outstanding >= pending : outstanding === pending;
  }

  /** Nothing can happen without time: then no worker idles while a task waits that it may take. */
  checkIdle() {
    const { queueSize, idleThreads } = this.pool;
    if (queueSize > 0 && idleThreads > 0 && this.isForAnybody)
      this.fault(`${queueSize} tasks wait, and ${idleThreads} workers idle`);
    const found = this.idleBeside();
    if (found !== undefined) this.fault(found);
  }

  /** With threads one that has nothing may be on its way to the tasks, but not for so many steps. */
  checkStalled() {
    const found = this.idleBeside();
    this.stalled = found === undefined ? 0 : this.stalled + 1;
    if (this.stalled > REAL_STALL) this.fault(`${found}, since ${this.stalled} steps`);
  }

  get isForAnybody() {
    return this.keys.size === 0 && this.broadcasts === 0 && !this.isPaused;
  }

  /** Whatever is counted: a worker that has nothing could take the next task from the queue. */
  idleBeside() {
    const { queue, workers } = this.pool.core;
    if (queue.size === 0 || !this.isForAnybody) return undefined;
    const idle = workers.filter((worker) => worker.state === READY && worker.hasNothing);
    return idle.length === 0
      ? undefined
      : `${queue.size} tasks are in the queue, and ${idle.length} workers have nothing`;
  }

  /** @param isSafe it has no signal, timeout or key, so what stops workers must spare it */
  watch(name, promise, counts = true, isSafe = false) {
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
      if (isSafe && error?.code === 'PLIMSOLL_POOL_WORKER_STOPPED')
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
      if (!(await this.steps(1))) await this.advance(50);
      // A stream that goes on for ever must not hold up time.
      else if (this.passesTime(step)) await this.advance(40);
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
      if (!(await this.steps(1))) await this.advance(20);
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
      if (!(await this.steps(1))) await this.advance(5);
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

export function optionsOf(random) {
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
