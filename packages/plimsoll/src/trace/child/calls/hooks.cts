import hooks = require('node:async_hooks');
import context = require('../context.cjs');
import type CallLog = require('./log.cjs');
import Recent = require('./recent.cjs');
import record = require('./record.cjs');
import types = require('./types.cjs');

const { KIND, CAUSE } = record;

/** Timers, connections, streams and work of add-ons that are remembered. */
const REMEMBERED = 65_536;

/** Something that the event loop calls because of a timer, a socket or the like. */
interface Task {
  readonly is: 'task';
  readonly cause: number;
  /** Of a timer: the job in whose callback it was made. */
  readonly job: number;
}

/** A job that may never return, since it may be synchronous or none; or the one that a stream of zlib has in the pool. */
interface Maybe {
  readonly is: 'maybe';
  job: number;
}

const OUTSIDE = { cause: CAUSE.socket, job: 0 };

/** The request object of a call of fs whose name is not known yet. */
interface Nameless {
  resource: object | null;
  /** Calls of fs so far. */
  count: number;
  job: number;
}

/**
 * Watch what the event loop calls and which jobs are submitted, by Node's async hooks.
 *
 * Only resources of the pool are recorded when they are created, and of everything else whether it begins a turn of the
 * event loop: microtasks, ticks and promises belong to the turn in which they run. Promises are left out where Node lets us
 * (`trackPromises`); before, it calls us for each.
 */
class Watch {
  readonly nameless: Nameless = { resource: null, count: 0, job: 0 };
  readonly #log: CallLog;
  /** Calls of fs and lookups: each returns. */
  readonly #jobs = new Map<number, number>();
  readonly #others = new Recent<Task | Maybe>(REMEMBERED);
  /** By their handles. */
  readonly #streams = new WeakMap<object, Maybe>();
  readonly #patched = new WeakSet<object>();
  readonly #lookup: number;
  readonly #lookupService: number;
  readonly #close: number;
  #hook: hooks.AsyncHook | null = null;
  /** Recording has stood still: there are resources that were not seen to be made. */
  #hasPaused = false;

  constructor(log: CallLog) {
    this.#log = log;
    this.#lookup = log.code('lookup');
    this.#lookupService = log.code('lookupService');
    this.#close = log.code('close');
  }

  start(): void {
    const hook = hooks.createHook({
      init: (id, type, _trigger, resource) => {
        if (type === 'PROMISE' || type === 'TickObject') return;
        if (this.#log.ring.isClosed) hook.disable();
        else this.#init(id, type, resource);
      },
      before: (id) => this.#before(id),
      ...{ trackPromises: false },
    });
    hook.enable();
    this.#hook = hook;
  }

  /** Nobody is called any more; what is under way is not waited for. */
  pause(): void {
    this.#hook?.disable();
    this.#hasPaused = true;
    this.#jobs.clear();
    this.nameless.resource = null;
  }

  resume(): void {
    this.#log.task = OUTSIDE;
    this.#hook?.enable();
  }

  #init(id: number, type: string, resource: object): void {
    const log = this.#log;
    // It has a log of its own.
    if (type === 'WORKER') log.ring.countUncounted(1);
    const role = types.roleOf(type);
    if (role.is === 'task') {
      const { cause } = role;
      this.#others.set(id, { is: 'task', cause, job: cause === CAUSE.socket ? 0 : log.task.job });
    } else if (role.is === 'unknown') {
      // What a program makes itself is no work of the pool.
      if (resource instanceof hooks.AsyncResource) return;
      this.#others.set(id, { is: 'maybe', job: log.job(KIND.other, log.code(type)) });
    } else if (role.is === 'job') this.#submit(id, type, role.kind, resource);
  }

  #submit(id: number, type: string, kind: number, resource: object): void {
    const log = this.#log;
    if (kind === KIND.fs) {
      const isClose = type === 'FILEHANDLECLOSEREQ';
      const job = log.job(KIND.fs, isClose ? this.#close : 0);
      this.#jobs.set(id, job);
      const { nameless } = this;
      nameless.count++;
      nameless.job = job;
      nameless.resource = isClose ? null : resource;
    } else if (kind === KIND.dns) {
      const name = type === 'GETADDRINFOREQWRAP' ? this.#lookup : this.#lookupService;
      this.#jobs.set(id, log.job(KIND.dns, name));
    } else if (kind === KIND.zlib) this.#watchStream(id, resource);
    else this.#others.set(id, { is: 'maybe', job: log.job(kind, log.code(type)) });
  }

  #before(id: number): void {
    const job = this.#jobs.get(id);
    if (job !== undefined) {
      this.#jobs.delete(id);
      this.#return(job);
      return;
    }
    const other = this.#others.get(id);
    if (other === undefined) {
      if (this.#hasPaused) this.#unseen();
      return;
    }
    if (other.is === 'task') {
      this.#log.task = other;
      return;
    }
    const done = other.job;
    other.job = 0;
    if (done !== 0) this.#return(done);
    // An add-on may give the pool the same work again.
    else this.#log.ring.countUncounted(1);
  }

  /** The event loop calls a resource that was made while recording stood still, such as a connection that is kept. */
  #unseen(): void {
    const resource = hooks.executionAsyncResource();
    if (resource instanceof Promise || resource instanceof hooks.AsyncResource) return;
    // Of a tick it is a plain object.
    if (Object.getPrototypeOf(resource) !== Object.prototype) this.#log.task = OUTSIDE;
  }

  #return(job: number): void {
    this.#log.returned(job);
    this.#log.task = { cause: CAUSE.callback, job };
  }

  /** A stream is one resource and has many jobs: each is a call of its handle's `write`. */
  #watchStream(id: number, handle: object): void {
    const stream: Maybe = { is: 'maybe', job: 0 };
    this.#others.set(id, stream);
    this.#streams.set(handle, stream);
    const prototype = Object.getPrototypeOf(handle) as { write?: unknown };
    if (this.#patched.has(prototype) || typeof prototype.write !== 'function') return;
    this.#patched.add(prototype);
    const log = this.#log;
    const streams = this.#streams;
    const code = log.code('ZLIB');
    const { write } = prototype;
    prototype.write = function (this: object, ...args: unknown[]): unknown {
      const own = streams.get(this);
      if (own !== undefined && !log.ring.isClosed && context.isOn()) own.job = log.job(KIND.zlib, code);
      return Reflect.apply(write as () => unknown, this, args);
    };
  }
}

export = Watch;
