import { Books } from './books.mjs';
import { CALLS, left } from './calling.mjs';

// A random program of everything with everything. On a simulated pool there are no threads, time is virtual, and it is the same
// for a seed each time; on real threads it is another one each time.

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

class Program extends Books {
  /** Abort controllers by task. */
  #controllers = [];
  /** Values that cannot be cloned. */
  #odd = new WeakSet();

  async run() {
    const actions = this.random.between(3, 16);
    this.#inject('hang', { name: 'hangs', times: Number.POSITIVE_INFINITY });
    for (let action = 0; action < actions && this.faults.length === 0; action++) {
      const name = this.onlyKeys ? 'key' : this.random.weighted(ACTIONS);
      this.log.push(name);
      await this[`$${name}`]();
      // What was refused is settled by then.
      await new Promise(setImmediate);
      if (this.random.chance(0.7)) await this.steps(this.random.between(0, 6));
      this.check();
    }
    this.$resume();
    await this.settleAll();
    if (this.faults.length === 0) await this.end(() => this.#run('late', ...this.#task({}, 0.3)));
  }

  /** Runs a task whose result, unless it fails, has the id of its value. */
  #run(name, value, options = {}) {
    const promise = this.pool.run(value, options);
    this.watch(name, promise);
    promise.then(
      (result) => {
        if (options.name === 'leaves' && !this.isReal)
          setImmediate(() => left.has(value.id) && this.fault(`calls of ${value.id} outlive it`));
        if (this.#odd.has(value)) this.fault('a value that cannot be cloned was cloned');
        else if (result?.id !== value.id) this.fault(`the result of ${value.id} is that of ${result?.id}`);
      },
      (error) => {
        if (error?.isWrong) this.fault(error.message);
        if (error?.code === UNCLONEABLE && !this.#odd.has(value) && options.name !== 'odd')
          this.fault(`a value that can be cloned was not: ${error.message}`);
      },
    );
  }

  /** A value of a task. Some cannot be cloned, and some end a task when they are read, in the middle of a dispatch. */
  #value(odd = 0.05) {
    const id = this.tasks++;
    const random = this.random;
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
    const random = this.random;
    const name = random.weighted({
      default: 10,
      later: 4,
      calls: 4,
      blocks: 1,
      leaves: 1,
      fails: 1,
      hangs: 1,
      odd: 0.3,
    });
    const options = { name, ...extra };
    if (name === 'hangs' || random.chance(0.1)) options.timeout = random.between(1, 300);
    if (random.chance(0.1)) options.signal = this.#signal();
    if ((options.timeout !== undefined || options.signal !== undefined) && random.chance(0.4))
      options.grace = random.between(1, 50);
    if (random.chance(0.1)) {
      options.retry = { max: random.between(0, 2), backoff: random.between(0, 20) };
      this.mayRunTwice = true;
    }
    const value = this.#value(odd);
    if (name === 'calls' || name === 'blocks') {
      value.call = random.of(Object.keys(CALLS));
      if (value.call === 'own') options.host = { own: (id) => id };
    }
    return [value, options];
  }

  /** What tasks call. */
  hostFunctions() {
    return {
      back: (id) => id,
      backLater: async (id) => {
        for (let turn = this.random.between(0, 3); turn > 0; turn--) await new Promise(setImmediate);
        return id;
      },
      fails() {
        throw new RangeError('its own');
      },
      async failsLater() {
        throw new RangeError('its own');
      },
      oddAnswer: (id) => ({ id, odd: () => id }),
      never: () => new Promise(() => {}),
      aborts: (id) => {
        this.random.of(this.#controllers)?.abort('called');
        return id;
      },
      nests: async () => {
        const promise = this.pool.run({ id: this.tasks++ });
        this.watch('nested', promise);
        await promise;
      },
    };
  }

  #signal() {
    const controller = new AbortController();
    this.#controllers.push(controller);
    if (this.random.chance(0.05)) controller.abort('before');
    return controller.signal;
  }

  #inject(kind, fault) {
    this.pool.inject({ kind, ...fault });
  }

  $run() {
    const many = this.random.chance(0.003) ? 1040 : this.random.between(1, 6);
    for (let task = 0; task < many; task++) this.#run('run', ...this.#task());
  }

  $plain() {
    const many = this.random.chance(0.003) ? 1040 : this.random.between(1, 6);
    for (let task = 0; task < many; task++) this.#run('plain', { id: this.tasks++ });
  }

  $priority() {
    for (let task = this.random.between(1, 4); task > 0; task--) {
      const priority = this.random.between(-3, 3);
      this.#run('priority', ...this.#task({ priority }));
    }
  }

  $key() {
    const key = this.random.between(0, 3);
    this.keys.add(key);
    for (let task = this.random.between(1, 6); task > 0; task--) {
      const [value, options] = this.onlyKeys ? [this.#value(), {}] : this.#task();
      this.#run('key', value, { ...options, key });
    }
  }

  $broadcast() {
    const name = this.random.weighted({ default: 8, odd: 1 });
    const promise = this.pool.broadcast(this.random.chance(0.2) ? { odd: () => name } : {}, { name });
    // Its parts count one by one, and the pool alone knows how many there are.
    this.loop(promise);
    this.watch('broadcast', promise, false);
    this.broadcasts++;
    const ended = () => this.broadcasts--;
    promise.then(ended, ended);
  }

  /** So many, and so quick, that some are posted ahead to workers which run others. */
  async $transfers() {
    for (let task = this.random.between(40, 200); task > 0; task--) this.$transfer(20_000, {});
    await this.steps(this.random.between(0, 200));
  }

  /** A small one is copied, and detached in the end. */
  $transfer(bytes = this.random.chance(0.5) ? 16 : 20_000, options = this.#maybePriority()) {
    const buffer = new ArrayBuffer(bytes);
    const value = this.random.chance(0.1) ? { buffer, odd: () => buffer } : buffer;
    const promise = this.pool.run(value, { transferList: [buffer], ...options });
    this.watch('transfer', promise);
    const expect = (isGone) => {
      if ((buffer.byteLength === 0) !== isGone)
        this.fault(`a buffer is ${isGone ? 'still' : 'no longer'} here`);
    };
    promise.then(
      () => expect(true),
      ({ code, transferred }) => expect(!code?.startsWith('PLIMSOLL_POOL') || transferred === true),
    );
  }

  #maybePriority() {
    return this.random.chance(0.2) ? { priority: 1 } : {};
  }

  $fed() {
    const many = this.random.between(0, 40);
    const odd = this.random.chance(0.2) ? this.random.between(0, many) : -1;
    const feed = (async function* () {
      for (let item = 0; item < many; item++) yield item === odd ? () => item : item;
    })();
    this.watch('fed', this.pool.run(feed, { name: 'sum' }));
  }

  $map() {
    const random = this.random;
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
      name: random.weighted({ default: 8, later: 3, calls: 3, fails: random.chance(0.1) ? 1 : 0, odd: 0.1 }),
    };
    if (many > 1000 || random.chance(0.6)) options.concurrency = many > 1000 ? 1500 : random.between(1, 30);
    if (random.chance(0.3)) options.ordered = false;
    if (random.chance(0.2)) options.priority = random.between(-1, 1);
    if (random.chance(0.2)) options.signal = this.#signal();
    if (random.chance(0.2)) {
      options.retry = { max: 1 };
      this.mayRunTwice = true;
    }
    this.#iterate('map', this.pool.map(items, options), many > 1000 ? 3 : broken);
  }

  $stream() {
    const random = this.random;
    const isLocked = random.chance(0.05);
    const name = random.weighted({ items: 4, callingItems: 2, endless: 2, fails: 0.3, oddItems: 0.3 });
    const options = { name };
    if (random.chance(0.6)) options.highWaterMark = random.between(1, 20);
    if (random.chance(0.3)) options.signal = this.#signal();
    if (random.chance(0.1)) options.timeout = random.between(1, 300);
    if (random.chance(0.3)) options.grace = random.between(1, 50);
    const broken = random.chance(0.3) ? random.between(0, 20) : Number.POSITIVE_INFINITY;
    const length = random.between(0, 30);
    const given = isLocked ? lockedStream() : random.chance(0.05) ? this.#value(1) : { length };
    const stream = this.pool.stream(given, options);
    if (isLocked) {
      try {
        stream.next().catch(() => {});
        this.watch('locked', stream.next(), false);
      } catch (error) {
        this.fault(`next() threw ${error}`);
      }
      return;
    }
    if (random.chance(0.15)) {
      const asked = Array.from({ length: 18 }, () => stream.next().catch(() => {}));
      for (const promise of name === 'endless' ? asked : asked.slice(0, 20))
        this.watch('next', promise, false);
      this.loop(Promise.all(asked).then(() => stream.return()));
      return;
    }
    this.#iterate(name === 'endless' ? 'endless' : 'stream', stream, broken);
  }

  #iterate(name, iterator, broken) {
    const loop = (async () => {
      let count = 0;
      for await (const _ of iterator) {
        if (count++ >= broken || this.stops) break;
        if (name !== 'endless') this.progress++;
        if (this.random.chance(0.1)) await this.#nap();
      }
    })();
    this.loop(loop);
    // What goes on for ever ends when the others have.
    if (name !== 'endless') this.watch(name, loop, false);
  }

  async #nap() {
    for (let turn = this.random.between(1, 5); turn > 0; turn--) await new Promise(setImmediate);
  }

  async $abort() {
    const controller = this.random.of(this.#controllers);
    if (controller === undefined) return;
    // Workers are told the reason, as far as it can be cloned.
    const reason = this.random.chance(0.2) ? () => 'odd' : 'reason';
    // Between what a worker reports and what the host reads of it.
    if (this.random.chance(0.5)) setImmediate(() => controller.abort(reason));
    else controller.abort(reason);
    if (this.random.chance(0.5)) await this.pool.step();
  }

  /** Nothing is begun until somebody resumes. */
  $pause() {
    this.isPaused = true;
    this.pool.pause();
  }

  $resume() {
    this.isPaused = false;
    this.pool.resume();
  }

  $clear() {
    this.pool.clear();
  }

  $wait() {
    this.watch('capacity', this.pool.capacity(), false);
    // That waits for streams that go on for ever, too.
    this.loop(this.pool.onIdle());
  }

  $resize() {
    const maxThreads = this.random.between(1, 5);
    this.pool.resize({ minThreads: this.random.between(0, maxThreads), maxThreads });
  }

  async $time() {
    await this.pool.advance(this.random.between(1, 200));
  }

  $crash() {
    const kind = this.random.of(['crash', 'exit', 'oom']);
    this.#inject(kind, { nth: this.random.between(1, 3), when: this.random.of(['before', 'after']) });
  }

  $badStart() {
    this.#inject('start', { nth: this.random.between(1, 2), times: this.random.between(1, 3) });
  }

  async $kill() {
    const threads = this.pool.threads;
    await this.random.of(threads)?.terminate();
  }

  async $drain() {
    await this.steps(40);
  }
}

const ACTIONS = {
  run: 6,
  plain: 6,
  priority: 3,
  key: 3,
  broadcast: 1,
  transfer: 2,
  transfers: 0.5,
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

function lockedStream() {
  const stream = new ReadableStream();
  stream.getReader();
  return stream;
}
