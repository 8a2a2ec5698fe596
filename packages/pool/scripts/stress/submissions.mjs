import { Books } from './books.mjs';
import { CALLS, left } from './calling.mjs';
import { hostFunctions } from './host-functions.mjs';

// What random programs submit to their pools, and what must come of it.

const UNCLONEABLE = 'PLIMSOLL_POOL_UNCLONEABLE';

export class Submissions extends Books {
  /** Abort controllers by task. */
  controllers = [];
  /** Values that cannot be cloned. */
  odd = new WeakSet();

  /** Runs a task whose result, unless it fails, has the id of its value. */
  submit(name, value, options = {}) {
    const promise = this.pool.run(value, options);
    const { signal, timeout, key } = options;
    this.watch(name, promise, true, (signal ?? timeout ?? key) === undefined);
    promise.then(
      (result) => {
        if (options.name === 'leaves' && !this.isReal)
          setImmediate(() => left.has(value.id) && this.fault(`calls of ${value.id} outlive it`));
        if (this.odd.has(value)) this.fault('a value that cannot be cloned was cloned');
        else if (result?.id !== value.id) this.fault(`the result of ${value.id} is that of ${result?.id}`);
      },
      (error) => {
        if (error?.isWrong) this.fault(error.message);
        // When the worker has died that had the other end of a port, this end cannot be transferred any more.
        const isPortGone = value.port !== undefined && /detached/.test(error?.message);
        if (error?.code === UNCLONEABLE && !this.odd.has(value) && options.name !== 'odd' && !isPortGone)
          this.fault(`a value that can be cloned was not: ${error.message}`);
      },
    );
  }

  /** A value of a task. Some cannot be cloned, and some end a task when they are read, in the middle of a dispatch. */
  value(odd = 0.05) {
    const id = this.tasks++;
    const random = this.random;
    if (!random.chance(odd)) return { id };
    if (random.chance(0.2)) {
      const controller = random.of(this.controllers);
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
    this.odd.add(value);
    return value;
  }

  /** Options of a task, and an id by which it is known. */
  task(extra = {}, odd = undefined) {
    const random = this.random;
    const calls = this.callsHost ? { calls: 4, blocks: 1, leaves: 1 } : {};
    const name = random.weighted({ default: 10, later: 4, ...calls, fails: 1, hangs: 1, odd: 0.3 });
    const options = { name, ...extra };
    if (name === 'hangs' || random.chance(0.1)) options.timeout = random.between(1, 300);
    if (random.chance(0.1)) options.signal = this.signal();
    if ((options.timeout !== undefined || options.signal !== undefined) && random.chance(0.4))
      options.grace = random.between(1, 50);
    if (random.chance(0.1)) {
      options.retry = { max: random.between(0, 2), backoff: random.between(0, 20) };
      this.mayRunTwice = true;
    }
    const value = this.value(odd);
    if (name === 'calls' || name === 'blocks') {
      value.call = random.of(Object.keys(CALLS));
      if (value.call === 'own') options.host = { own: (id) => id };
    }
    return [value, options];
  }

  hostFunctions() {
    return hostFunctions(this);
  }

  signal() {
    const controller = new AbortController();
    this.controllers.push(controller);
    if (this.random.chance(0.05)) controller.abort('before');
    return controller.signal;
  }

  inject(kind, fault) {
    this.pool.inject({ kind, ...fault });
  }

  /** A small one is copied, and detached in the end. */
  transfer(bytes = this.random.chance(0.5) ? 16 : 20_000, options = this.maybePriority()) {
    const buffer = new ArrayBuffer(bytes);
    const value = this.random.chance(0.1) ? { buffer, odd: () => buffer } : buffer;
    const promise = this.pool.run(value, { transferList: [buffer], ...options });
    this.watch('transfer', promise, true, true);
    const expect = (isGone) => {
      if ((buffer.byteLength === 0) !== isGone)
        this.fault(`a buffer is ${isGone ? 'still' : 'no longer'} here`);
    };
    promise.then(
      () => expect(true),
      ({ code, transferred }) => expect(!code?.startsWith('PLIMSOLL_POOL') || transferred === true),
    );
  }

  maybePriority() {
    return this.random.chance(0.2) ? { priority: 1 } : {};
  }

  iterate(name, iterator, broken) {
    const loop = (async () => {
      let count = 0;
      for await (const _ of iterator) {
        if (count++ >= broken || this.stops) break;
        if (name !== 'endless') this.progress++;
        if (this.random.chance(0.1)) await this.nap();
      }
    })();
    this.loop(loop);
    // What goes on for ever ends when the others have.
    if (name !== 'endless') this.watch(name, loop, false);
  }

  async nap() {
    for (let turn = this.random.between(1, 5); turn > 0; turn--) await new Promise(setImmediate);
  }
}
