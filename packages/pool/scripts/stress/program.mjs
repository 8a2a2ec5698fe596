import { Random } from './random.mjs';

// A random program of everything with everything. On a simulated pool there are no threads, time is virtual, and it is the same
// for a seed each time; on real threads it is another one each time. What must hold is checked after each
// step; what does not is a fault, as a text.

/** Steps in which a promise has to settle or a loop has to get an item once nothing new comes, while streams go on for ever. */
const PATIENCE = 1500;
/** With real threads a step is a millisecond, in which a busy machine may do nothing at all. */
const REAL_PATIENCE = 60_000;
/** Virtual milliseconds of the same: more than all timeouts, backoffs and pauses that come one after another. */
const MOST_TIME = 20_000;
const CLOSE_TIMEOUT = 3_600_000;
/** Virtual milliseconds that `close()` may take when nothing is left to wait for: a worker that retires looks each 5 ms. */
const CLOSING = 1000;

const TWICE = 'a function ran twice for one task';
const UNCLONEABLE = 'PLIMSOLL_POOL_UNCLONEABLE';

/** @param newPool of `pools.mjs`; with `isReal` its pools have threads */
export async function runProgram(newPool, seed, isReal = false) {
  const program = new Program(newPool, seed, isReal);
  try {
    await program.run();
  } catch (error) {
    program.fault(`threw ${error?.stack ?? error}`);
  } finally {
    program.drop();
  }
  return program;
}

class Program {
  faults = [];
  log = [];
  #random;
  #pool;
  #options;
  /** Promises that are not settled, by a name. */
  #open = new Map();
  /** Promises of `run()` and parts of `broadcast()` that count as outstanding. */
  #counted = new Map();
  #loops = new Set();
  /** Items of loops are tasks that only the pool knows. */
  #hasLooped = false;
  /** Abort controllers by task. */
  #controllers = [];
  #ran = new Map();
  #mayRunTwice = false;
  #tasks = 0;
  /** Promises that have settled, and items that loops have got which end. */
  #progress = 0;
  /** Values that cannot be cloned. */
  #odd = new WeakSet();
  #starts = 0;
  #ends = 0;
  #keys = new Set();
  /** Those that are not settled: their parts wait for one worker each, as tasks with a key do. */
  #broadcasts = 0;
  #onlyKeys;
  #isReal;
  #isPaused = false;
  #stops = false;

  constructor(newPool, seed, isReal) {
    this.#isReal = isReal;
    const random = new Random(seed);
    this.#random = random;
    this.#onlyKeys = random.chance(0.08);
    this.#options = this.#onlyKeys
      ? { minThreads: 1, maxThreads: random.between(2, 6), idleTimeout: Number.POSITIVE_INFINITY }
      : optionsOf(random);
    this.#mayRunTwice = this.#options.retry !== undefined;
    const functions = this.#functions();
    const options = { closeTimeout: CLOSE_TIMEOUT, recordTiming: false, ...this.#options };
    this.#pool = newPool(options, functions, random.bits());
    this.log.push(JSON.stringify(this.#options));
    this.#pool.on('error', (error) => {
      if (error?.code === 'PLIMSOLL_POOL_CLOSE_TIMEOUT') this.fault('close() has timed out');
    });
    this.#pool.on('workerCreate', () => this.#starts++);
    this.#pool.on('workerDestroy', () => this.#ends++);
  }

  fault(what) {
    this.faults.push(what);
  }

  /** What is left of a program that went wrong shall not keep others busy. */
  drop() {
    this.#stops = true;
    this.#pool.destroy().catch(() => {});
  }

  get #patience() {
    return this.#isReal ? REAL_PATIENCE : PATIENCE;
  }

  #functions() {
    const note = (task) => {
      const id = task?.id;
      if (id === undefined) return;
      const times = (this.#ran.get(id) ?? 0) + 1;
      this.#ran.set(id, times);
      if (times > 1 && !this.#mayRunTwice) this.fault(TWICE);
    };
    return {
      default(task) {
        note(task);
        return task;
      },
      fails(task) {
        note(task);
        throw new RangeError('its own');
      },
      async later(task) {
        note(task);
        await undefined;
        return task;
      },
      *items(task) {
        for (let item = 0; item < (task?.length ?? 5); item++) yield item;
      },
      async *endless() {
        for (let item = 0; ; item++) yield item;
      },
      hangs(task) {
        note(task);
        return task;
      },
      odd(task) {
        note(task);
        return { task, odd: () => task };
      },
      *oddItems(task) {
        for (let item = 0; item < (task?.length ?? 5); item++) yield item === 3 ? () => item : item;
      },
      async sum(items) {
        let sum = 0;
        for await (const item of items) sum += item;
        return sum;
      },
      setup() {},
      ...(this.#random.chance(0.3) ? { dispose() {} } : {}),
    };
  }

  async run() {
    const actions = this.#random.between(3, 16);
    this.#inject('hang', { name: 'hangs', times: Number.POSITIVE_INFINITY });
    for (let action = 0; action < actions && this.faults.length === 0; action++) {
      const name = this.#onlyKeys ? 'key' : this.#random.weighted(ACTIONS);
      this.log.push(name);
      await this[`$${name}`]();
      // What was refused is settled by then.
      await new Promise(setImmediate);
      if (this.#random.chance(0.7)) await this.#steps(this.#random.between(0, 6));
      this.#check();
    }
    this.$resume();
    await this.#settleAll();
    if (this.faults.length === 0) await this.#end();
  }

  async #steps(count) {
    for (let step = 0; step < count; step++) {
      if ((await this.#pool.step()) === undefined) {
        this.#checkIdle();
        return false;
      }
      this.#check();
    }
    return true;
  }

  /** Promises that are pending and known, beside those that only the pool knows. */
  #check() {
    const outstanding = this.#pool.outstanding();
    const least = this.#counted.size;
    if (outstanding < least) this.fault(`${outstanding} tasks are outstanding, ${least} promises pending`);
    if (!this.#hasLooped && outstanding !== least)
      this.fault(`${outstanding} tasks are outstanding, and ${least} promises pending`);
    if (this.#onlyKeys && this.#starts > this.#keys.size + 1)
      this.fault(`${this.#starts} workers were started for ${this.#keys.size} keys`);
  }

  /** Nothing can happen without time: then no worker idles while a task waits that it may take. */
  #checkIdle() {
    const { queueSize, idleThreads } = this.#pool;
    const isForAnybody = this.#keys.size === 0 && this.#broadcasts === 0;
    if (queueSize > 0 && idleThreads > 0 && isForAnybody && !this.#isPaused)
      this.fault(`${queueSize} tasks wait, and ${idleThreads} workers idle`);
  }

  #watch(name, promise, counts = true) {
    const id = `${name} ${this.#tasks++}`;
    this.#open.set(id, promise);
    if (counts) this.#counted.set(id, promise);
    const end = () => {
      this.#progress++;
      this.#open.delete(id);
      this.#counted.delete(id);
    };
    promise.then(end, end);
    return id;
  }

  /** Runs a task whose result, unless it fails, has the id of its value. */
  #run(name, value, options = {}) {
    const promise = this.#pool.run(value, options);
    this.#watch(name, promise);
    promise.then(
      (result) => {
        if (this.#odd.has(value)) this.fault('a value that cannot be cloned was cloned');
        else if (result?.id !== value.id) this.fault(`the result of ${value.id} is that of ${result?.id}`);
      },
      (error) => {
        if (error?.code === UNCLONEABLE && !this.#odd.has(value) && options.name !== 'odd')
          this.fault(`a value that can be cloned was not: ${error.message}`);
      },
    );
  }

  /** A value of a task. Some cannot be cloned, and some end a task when they are read, in the middle of a dispatch. */
  #value(odd = 0.05) {
    const id = this.#tasks++;
    const random = this.#random;
    if (!random.chance(odd)) return { id };
    if (random.chance(0.2)) {
      const controller = random.of(this.#controllers);
      return {
        id,
        get read() {
          controller?.abort('read');
          return true;
        },
      };
    }
    const value = random.of([
      // Only found when it is posted, which may be long after the dispatch.
      { id, inner: [() => id] },
      { id, inner: Symbol('odd') },
      {
        id,
        get inner() {
          throw new RangeError('getter');
        },
      },
    ]);
    this.#odd.add(value);
    return value;
  }

  /** Options of a task, and an id by which it is known. */
  #task(extra = {}, odd = undefined) {
    const random = this.#random;
    const name = random.weighted({ default: 10, later: 4, fails: 1, hangs: 1, odd: 0.3 });
    const options = { name, ...extra };
    if (name === 'hangs' || random.chance(0.1)) options.timeout = random.between(1, 300);
    if (random.chance(0.1)) options.signal = this.#signal();
    if ((options.timeout !== undefined || options.signal !== undefined) && random.chance(0.4))
      options.grace = random.between(1, 50);
    if (random.chance(0.1)) {
      options.retry = { max: random.between(0, 2), backoff: random.between(0, 20) };
      this.#mayRunTwice = true;
    }
    return [this.#value(odd), options];
  }

  #signal() {
    const controller = new AbortController();
    this.#controllers.push(controller);
    if (this.#random.chance(0.05)) controller.abort('before');
    return controller.signal;
  }

  #inject(kind, fault) {
    this.#pool.inject({ kind, ...fault });
  }

  $run() {
    const many = this.#random.chance(0.003) ? 1040 : this.#random.between(1, 6);
    for (let task = 0; task < many; task++) this.#run('run', ...this.#task());
  }

  $plain() {
    const many = this.#random.chance(0.003) ? 1040 : this.#random.between(1, 6);
    for (let task = 0; task < many; task++) this.#run('plain', { id: this.#tasks++ });
  }

  $priority() {
    for (let task = this.#random.between(1, 4); task > 0; task--) {
      const priority = this.#random.between(-3, 3);
      this.#run('priority', ...this.#task({ priority }));
    }
  }

  $key() {
    const key = this.#random.between(0, 3);
    this.#keys.add(key);
    for (let task = this.#random.between(1, 6); task > 0; task--) {
      const [value, options] = this.#onlyKeys ? [this.#value(), {}] : this.#task();
      this.#run('key', value, { ...options, key });
    }
  }

  $broadcast() {
    const name = this.#random.weighted({ default: 8, odd: 1 });
    const promise = this.#pool.broadcast(this.#random.chance(0.2) ? { odd: () => name } : {}, { name });
    // Its parts count one by one, and the pool alone knows how many there are.
    this.#loop(promise);
    this.#watch('broadcast', promise, false);
    this.#broadcasts++;
    const ended = () => this.#broadcasts--;
    promise.then(ended, ended);
  }

  $transfer() {
    const buffer = new ArrayBuffer(16);
    const value = this.#random.chance(0.1) ? { buffer, odd: () => buffer } : buffer;
    this.#watch('transfer', this.#pool.run(value, { transferList: [buffer], ...this.#maybePriority() }));
  }

  #maybePriority() {
    return this.#random.chance(0.2) ? { priority: 1 } : {};
  }

  $fed() {
    const many = this.#random.between(0, 40);
    const odd = this.#random.chance(0.2) ? this.#random.between(0, many) : -1;
    const feed = (async function* () {
      for (let item = 0; item < many; item++) yield item === odd ? () => item : item;
    })();
    this.#watch('fed', this.#pool.run(feed, { name: 'sum' }));
  }

  $map() {
    const random = this.#random;
    const many = random.chance(0.01) ? 1600 : random.between(0, 30);
    const broken = random.chance(0.4) ? random.between(0, many) : Number.POSITIVE_INFINITY;
    const failing = random.chance(0.1) ? random.between(0, many) : -1;
    const odd = random.chance(0.1) ? 0.1 : 0;
    const make = () => this.#value(odd);
    const items = (function* () {
      for (let item = 0; item < many; item++) {
        if (item === failing) throw new RangeError('source');
        yield make();
      }
    })();
    const options = {
      name: random.weighted({ default: 8, later: 3, fails: random.chance(0.1) ? 1 : 0, odd: 0.1 }),
    };
    if (many > 1000 || random.chance(0.6)) options.concurrency = many > 1000 ? 1500 : random.between(1, 30);
    if (random.chance(0.3)) options.ordered = false;
    if (random.chance(0.2)) options.priority = random.between(-1, 1);
    if (random.chance(0.2)) options.signal = this.#signal();
    if (random.chance(0.2)) {
      options.retry = { max: 1 };
      this.#mayRunTwice = true;
    }
    this.#iterate('map', this.#pool.map(items, options), many > 1000 ? 3 : broken);
  }

  $stream() {
    const random = this.#random;
    const isLocked = random.chance(0.05);
    const name = random.weighted({ items: 4, endless: 2, fails: 0.3, oddItems: 0.3 });
    const options = { name };
    if (random.chance(0.6)) options.highWaterMark = random.between(1, 20);
    if (random.chance(0.3)) options.signal = this.#signal();
    if (random.chance(0.1)) options.timeout = random.between(1, 300);
    if (random.chance(0.3)) options.grace = random.between(1, 50);
    const broken = random.chance(0.3) ? random.between(0, 20) : Number.POSITIVE_INFINITY;
    const length = random.between(0, 30);
    const given = isLocked ? lockedStream() : random.chance(0.05) ? this.#value(1) : { length };
    const stream = this.#pool.stream(given, options);
    if (isLocked) {
      try {
        stream.next().catch(() => {});
        this.#watch('locked', stream.next(), false);
      } catch (error) {
        this.fault(`next() threw ${error}`);
      }
      return;
    }
    if (random.chance(0.15)) {
      const asked = Array.from({ length: 18 }, () => stream.next().catch(() => {}));
      for (const promise of name === 'endless' ? asked : asked.slice(0, 20))
        this.#watch('next', promise, false);
      this.#loop(Promise.all(asked).then(() => stream.return()));
      return;
    }
    this.#iterate(name === 'endless' ? 'endless' : 'stream', stream, broken);
  }

  #loop(promise) {
    this.#hasLooped = true;
    this.#loops.add(promise);
    const end = () => this.#loops.delete(promise);
    promise.then(end, end);
  }

  #iterate(name, iterator, broken) {
    const loop = (async () => {
      let count = 0;
      for await (const _ of iterator) {
        if (count++ >= broken || this.#stops) break;
        if (name !== 'endless') this.#progress++;
        if (this.#random.chance(0.1)) await this.#nap();
      }
    })();
    this.#loop(loop);
    // What goes on for ever ends when the others have.
    if (name !== 'endless') this.#watch(name, loop, false);
  }

  async #nap() {
    for (let turn = this.#random.between(1, 5); turn > 0; turn--) await new Promise(setImmediate);
  }

  async $abort() {
    const controller = this.#random.of(this.#controllers);
    if (controller === undefined) return;
    // Workers are told the reason, as far as it can be cloned.
    const reason = this.#random.chance(0.2) ? () => 'odd' : 'reason';
    // Between what a worker reports and what the host reads of it.
    if (this.#random.chance(0.5)) setImmediate(() => controller.abort(reason));
    else controller.abort(reason);
    if (this.#random.chance(0.5)) await this.#pool.step();
  }

  /** Nothing is begun until somebody resumes. */
  $pause() {
    this.#isPaused = true;
    this.#pool.pause();
  }

  $resume() {
    this.#isPaused = false;
    this.#pool.resume();
  }

  $clear() {
    this.#pool.clear();
  }

  $wait() {
    this.#watch('capacity', this.#pool.capacity(), false);
    // That waits for streams that go on for ever, too.
    this.#loop(this.#pool.onIdle());
  }

  $resize() {
    const maxThreads = this.#random.between(1, 5);
    this.#pool.resize({ minThreads: this.#random.between(0, maxThreads), maxThreads });
  }

  async $time() {
    await this.#pool.advance(this.#random.between(1, 200));
  }

  $crash() {
    const kind = this.#random.of(['crash', 'exit', 'oom']);
    this.#inject(kind, { nth: this.#random.between(1, 3), when: this.#random.of(['before', 'after']) });
  }

  $badStart() {
    this.#inject('start', { nth: this.#random.between(1, 2), times: this.#random.between(1, 3) });
  }

  async $kill() {
    const threads = this.#pool.threads;
    await this.#random.of(threads)?.terminate();
  }

  async $drain() {
    await this.#steps(40);
  }

  /** Nothing new comes: one promise after another settles in bounded steps and time, whatever streams go on meanwhile. */
  async #settleAll() {
    let progress = -1;
    let end = 0;
    for (let step = 0; this.#open.size > 0 && this.faults.length === 0; step++) {
      if (this.#progress > progress) {
        progress = this.#progress;
        end = this.#pool.duration + (this.#isReal ? REAL_PATIENCE : MOST_TIME);
        step = 0;
      } else if (step > this.#patience && this.#pool.duration > end) {
        this.fault(`hangs: ${[...this.#open.keys()].slice(0, 8).join(', ')} (${this.#open.size})`);
        return;
      }
      if (!(await this.#steps(1))) await this.#pool.advance(50);
      // A stream that goes on for ever must not hold up time.
      else if (step % 8 === 0) await this.#pool.advance(40);
    }
    await new Promise(setImmediate);
  }

  /** Closes the pool in some way; then nothing of it may live. */
  async #end() {
    const how = this.#random.weighted({ close: 4, force: 3, both: 2, destroy: 1 });
    const leavesStreams = how !== 'close' && this.#random.chance(0.5);
    this.log.push(how);
    if (!leavesStreams) this.#stops = true;
    for (let step = 0; !leavesStreams && this.#loops.size > 0; step++) {
      if (step > this.#patience) return this.fault('loops do not end');
      if (!(await this.#steps(1))) await this.#pool.advance(20);
    }
    const late = this.#random.chance(0.3) && how !== 'destroy' ? this.#random.between(1, 5) : 0;
    // Those may need workers of their own.
    this.#onlyKeys = false;
    // No event comes after the last of them, but for its end.
    for (let task = 0; task < late; task++) this.#run('late', ...this.#task({}, 0.3));
    const from = this.#pool.duration;
    const closed = how === 'destroy' ? this.#pool.destroy() : this.#pool.close({ force: how === 'force' });
    const ends = how === 'both' ? [closed, this.#pool.close({ force: true })] : [closed];
    let isOver = false;
    void Promise.allSettled(ends).then(() => {
      isOver = true;
    });
    await new Promise(setImmediate);
    for (let step = 0; !isOver; step++) {
      const late = this.#isReal ? REAL_PATIENCE : CLOSING;
      if (step > this.#patience || this.#pool.duration > from + late)
        return this.fault(`${how} does not end`);
      if (!(await this.#steps(1))) await this.#pool.advance(5);
    }
    await new Promise(setImmediate);
    const pending = [...this.#open.keys()];
    if (pending.length > 0) this.fault(`pending after ${how}: ${pending.slice(0, 8).join(', ')}`);
    const outstanding = this.#pool.outstanding();
    if (outstanding !== 0) this.fault(`${outstanding} tasks are outstanding after ${how}`);
    if (this.#ends < this.#starts) this.fault(`${this.#starts - this.#ends} workers live after ${how}`);
  }
}

const ACTIONS = {
  run: 6,
  plain: 6,
  priority: 3,
  key: 3,
  broadcast: 1,
  transfer: 2,
  fed: 1,
  map: 4,
  stream: 4,
  abort: 4,
  resize: 1,
  time: 2,
  crash: 2,
  badStart: 1,
  kill: 1,
  drain: 2,
  pause: 1,
  resume: 2,
  clear: 0.5,
  wait: 1,
};

function optionsOf(random) {
  const maxThreads = random.between(1, 4);
  const options = { minThreads: random.between(0, maxThreads), maxThreads };
  if (random.chance(0.3)) options.concurrentTasksPerWorker = random.between(2, 4);
  if (random.chance(0.2)) options.retry = { max: random.between(1, 2), backoff: random.between(0, 100) };
  if (random.chance(0.3)) options.breaker = { failures: random.between(1, 3), pause: random.between(1, 500) };
  if (random.chance(0.1))
    options.quarantine = { deaths: random.between(1, 2), pause: random.between(1, 500) };
  if (random.chance(0.2)) options.maxTasksPerWorker = random.between(1, 5);
  if (random.chance(0.1)) options.maxQueue = random.between(0, 20);
  if (random.chance(0.5)) options.idleTimeout = random.of([0, 100, 10_000, Number.POSITIVE_INFINITY]);
  return options;
}

function lockedStream() {
  const stream = new ReadableStream();
  stream.getReader();
  return stream;
}
