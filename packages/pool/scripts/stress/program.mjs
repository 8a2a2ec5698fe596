import { Submissions } from './submissions.mjs';

// A random program of everything with everything. On a simulated pool there are no threads, time is virtual, and it is the same
// for a seed each time; on real threads it is another one each time.

export class Program extends Submissions {
  actions = ACTIONS;
  mostActions = 16;

  async run() {
    const actions = this.random.between(3, this.mostActions);
    this.inject('hang', { name: 'hangs', times: Number.POSITIVE_INFINITY });
    for (let action = 0; action < actions && this.faults.length === 0; action++) {
      const name = this.onlyKeys ? 'key' : this.random.weighted(this.actions);
      this.log.push(name);
      await this[`$${name}`]();
      // What was refused is settled by then.
      await new Promise(setImmediate);
      if (this.random.chance(0.7)) await this.steps(this.random.between(0, 6));
      await this.check();
    }
    this.$resume();
    await this.settleAll();
    if (this.faults.length === 0) await this.end(() => this.submit('late', ...this.task({}, 0.3)));
  }

  $run() {
    const many = this.random.chance(0.003) ? 1040 : this.random.between(1, 6);
    for (let task = 0; task < many; task++) this.submit('run', ...this.task());
  }

  $plain() {
    const many = this.random.chance(0.003) ? 1040 : this.random.between(1, 6);
    for (let task = 0; task < many; task++) this.submit('plain', { id: this.tasks++ });
  }

  $priority() {
    for (let task = this.random.between(1, 4); task > 0; task--) {
      const priority = this.random.between(-3, 3);
      this.submit('priority', ...this.task({ priority }));
    }
  }

  $key() {
    const key = this.random.between(0, 3);
    this.keys.add(key);
    for (let task = this.random.between(1, 6); task > 0; task--) {
      const [value, options] = this.onlyKeys ? [this.value(), {}] : this.task();
      this.submit('key', value, { ...options, key });
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
    for (let task = this.random.between(40, 200); task > 0; task--) this.transfer(20_000, {});
    await this.steps(this.random.between(0, 200));
  }

  $transfer() {
    this.transfer();
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
    const make = () => this.value(odd);
    const items = (function* () {
      for (let item = 0; item < many; item++) {
        if (item === failing) throw new RangeError('source');
        yield make();
      }
    })();
    const options = {
      name: random.weighted({
        ...{ default: 8, later: 3, calls: this.callsHost ? 3 : 0 },
        ...{ fails: random.chance(0.1) ? 1 : 0, odd: 0.1 },
      }),
    };
    if (many > 1000 || random.chance(0.6)) options.concurrency = many > 1000 ? 1500 : random.between(1, 30);
    if (random.chance(0.3)) options.ordered = false;
    if (random.chance(0.2)) options.priority = random.between(-1, 1);
    if (random.chance(0.2)) options.signal = this.signal();
    if (random.chance(0.2)) {
      options.retry = { max: 1 };
      this.mayRunTwice = true;
    }
    this.iterate('map', this.pool.map(items, options), many > 1000 ? 3 : broken);
  }

  $stream() {
    const random = this.random;
    const isLocked = random.chance(0.05);
    const callingItems = this.callsHost ? 2 : 0;
    const name = random.weighted({ items: 4, callingItems, endless: 2, fails: 0.3, oddItems: 0.3 });
    const options = { name };
    if (random.chance(0.6)) options.highWaterMark = random.between(1, 20);
    if (random.chance(0.3)) options.signal = this.signal();
    if (random.chance(0.1)) options.timeout = random.between(1, 300);
    if (random.chance(0.3)) options.grace = random.between(1, 50);
    const broken = random.chance(0.3) ? random.between(0, 20) : Number.POSITIVE_INFINITY;
    const length = random.between(0, 30);
    const given = isLocked ? lockedStream() : random.chance(0.05) ? this.value(1) : { length };
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
    this.iterate(name === 'endless' ? 'endless' : 'stream', stream, broken);
  }

  async $abort() {
    const controller = this.random.of(this.controllers);
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
    this.inject(kind, { nth: this.random.between(1, 3), when: this.random.of(['before', 'after']) });
  }

  $badStart() {
    this.inject('start', { nth: this.random.between(1, 2), times: this.random.between(1, 3) });
  }

  async $kill() {
    const threads = this.pool.threads;
    await this.random.of(threads)?.terminate();
  }

  async $drain() {
    await this.steps(40);
  }
}

export const ACTIONS = {
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
