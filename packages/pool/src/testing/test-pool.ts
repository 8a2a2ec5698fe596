import { EventEmitterAsyncResource } from 'node:events';
import { type AnyModule, Pool } from '../index.js';
import type { Fault, InjectedFault } from './faults.js';
import { openRealm } from './realm-source.js';
import { type Realm, Simulation, type Step } from './simulation.js';
import { settingsOf, type TestPoolOptions } from './test-options.js';
import { millisecondsOf } from './virtual-time.js';

const simulations = new WeakMap<object, Simulation>();
/** The simulation of the pool under construction. */
let opening: Simulation | undefined;

const simulationOf = (pool: object): Simulation => (simulations.get(pool) ?? opening) as Simulation;

/** Stands between `Pool` and `TestPool`, and has all members of `Pool`. Objects come from the `Pool` of their own realm. */
const Simulated = function (options: TestPoolOptions): object {
  const [settings, own] = settingsOf(options);
  const simulation = new Simulation(settings);
  simulation.realm = openRealm(simulation);
  opening = simulation;
  try {
    const pool = Reflect.construct(simulation.realm.Pool, [own], new.target) as object;
    simulations.set(pool, simulation);
    return pool;
  } finally {
    opening = undefined;
  }
} as unknown as typeof Pool;
Object.setPrototypeOf(Simulated, Pool);
Object.defineProperty(Simulated, 'prototype', { value: Object.create(Pool.prototype, membersOf(Pool)) });

/**
 * A `Pool` for tests, without threads: worker files run on the thread of the test. The pool's code is the real one,
 * with the same options, errors, order and events; only threads and time are simulated. Every run is the same, time
 * is virtual, so nothing waits for real time, and workers die when the test says so.
 *
 * @example
 * import { TestPool } from '@plimsoll/pool/testing';
 *
 * await using pool = new TestPool({ filename: new URL('./worker.js', import.meta.url), retry: { max: 1, backoff: 60_000 } });
 * pool.inject({ kind: 'crash', nth: 2 });
 * const results = await Promise.all([pool.run(1), pool.run(2), pool.run(3)]);
 */
export class TestPool<Module = AnyModule> extends Simulated<Module> {
  /** @throws TypeError or RangeError with code PLIMSOLL_POOL_BAD_OPTION for a bad option */
  constructor(options: TestPoolOptions = {}) {
    super(options);
  }

  /**
   * Makes one thing happen, if anything can: a worker starts, a function is called, or the pool hears of its end.
   * Resolves once this step, and what follows from it in the test, is done. Resolves with undefined if nothing can
   * happen without time or something outside.
   *
   * @example
   * const pool = new TestPool({ filename, manual: true, minThreads: 1 });
   * const run = pool.run(1);
   * await pool.step(); // { kind: 'start', threadId: 1 }
   * await pool.step(); // { kind: 'call', threadId: 1, name: 'default' }
   */
  step(): Promise<Step | undefined> {
    return simulationOf(this).step();
  }

  /**
   * Makes everything happen that can, and lets time pass, until every task is settled or none can continue. Waits
   * for functions that wait for something outside the pool. Resolves with the steps, in order.
   */
  runAll(): Promise<Step[]> {
    return simulationOf(this).runAll();
  }

  /**
   * Lets virtual time pass. Timeouts, graces, backoffs and pauses that are due end in order. In between, everything
   * happens that can, unless the pool is `manual`.
   *
   * @throws TypeError or RangeError with code PLIMSOLL_POOL_BAD_OPTION for anything but a finite time
   * @example
   * const slow = pool.run(1, { timeout: 1_000 });
   * await pool.advance(1_000);
   */
  async advance(milliseconds: number): Promise<void> {
    await simulationOf(this).advance(millisecondsOf(milliseconds));
  }

  /**
   * Injects a fault. Its effects are those of a real fault: tasks are rejected with the same codes, and `retry` and
   * `breaker` work.
   *
   * @throws TypeError or RangeError with code PLIMSOLL_POOL_BAD_OPTION
   * @example
   * pool.inject({ kind: 'oom', nth: 3, name: 'resize' }); // the third call of `resize` from now on
   */
  inject(fault: Fault): InjectedFault {
    return simulationOf(this).faults.inject(fault);
  }

  /** Closes the pool once all submitted tasks have ended. From then on, a manual pool needs no steps. */
  override async [Symbol.asyncDispose](): Promise<void> {
    const simulation = simulationOf(this);
    simulation.isAutomatic = true;
    simulation.changed();
    await this.close();
  }
}

/** A member that calls the same member of the realm's `Pool`. */
function delegate(name: string | symbol, { get }: PropertyDescriptor): PropertyDescriptor {
  function memberOf(this: object): unknown {
    return Reflect.get((simulationOf(this).realm as Realm).Pool.prototype, name, this);
  }
  if (get !== undefined) return { configurable: true, get: memberOf };
  return {
    configurable: true,
    writable: true,
    value(this: object, ...args: unknown[]) {
      return Reflect.apply(memberOf.call(this) as () => unknown, this, args);
    },
  };
}

function membersOf(Class: typeof Pool): PropertyDescriptorMap {
  const members: PropertyDescriptorMap = {};
  const end: object = EventEmitterAsyncResource.prototype;
  for (let level: object = Class.prototype; level !== end; level = Object.getPrototypeOf(level) as object) {
    for (const name of Reflect.ownKeys(level)) {
      const member = Reflect.getOwnPropertyDescriptor(level, name) as PropertyDescriptor;
      if (name !== 'constructor') members[name] ??= delegate(name, member);
    }
  }
  return members;
}
