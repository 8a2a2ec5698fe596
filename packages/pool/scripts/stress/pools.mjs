import { setTimeout as sleep } from 'node:timers/promises';

// What makes the pool of a random program, out of its options, the functions of its worker file, and a seed.

/**
 * Pools as those of `@plimsoll/pool/testing`, but one after another out of the same code: V8 optimizes that, which the code that
 * each `TestPool` has for itself does not live to see.
 */
export async function simulatedPools() {
  const [{ openRealm }, { Simulation }, { settingsOf }] = await Promise.all(
    ['realm-source', 'simulation', 'test-options'].map(
      (name) => import(new URL(`../../dist/testing/${name}.js`, import.meta.url).href),
    ),
  );
  class Watched extends Simulation {
    attach(pumped) {
      this.pumped = pumped;
      super.attach(pumped);
    }
  }
  const realms = [];
  return (options, functions, seed, place = 0) => {
    const [settings, own] = settingsOf({ ...options, manual: true, load: () => functions, seed });
    const simulation = new Watched(settings);
    realms[place] ??= openRealm(simulation);
    const realm = realms[place];
    realm.enter(simulation);
    simulation.realm = realm;
    return Object.assign(new realm.Pool({ ...own, filename: '/program.mjs' }), {
      step: () => simulation.step(),
      advance: (milliseconds) => simulation.advance(milliseconds),
      inject: (fault) => simulation.faults.inject(fault),
      outstanding: () => simulation.pumped.outstanding,
    });
  };
}

/** Pools with threads: a step is a millisecond, and only threads that end are faults. */
export async function realPools() {
  const { Pool } = await import('@plimsoll/pool');
  const { observe } = await import('@plimsoll/pool/observe');
  const filename = new URL('./program-functions.mjs', import.meta.url);
  return (options) => {
    const pool = new Pool({ ...options, filename });
    return Object.assign(pool, {
      step: () => sleep(1, {}),
      advance: (milliseconds) => sleep(milliseconds),
      inject: () => ({ hits: 0 }),
      outstanding: () =>
        Number(/^plimsoll_pool_task_outstanding (.*)$/m.exec(observe(pool).prometheusMetrics())?.[1]),
    });
  };
}
