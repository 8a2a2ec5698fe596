import { user } from './stores.mjs';

// Functions of the host that submit many tasks at once while the task that has called them goes on, or waits.

/** What they submit. */
export const PARTS = {
  move: 6,
  plain: 2,
  priority: 1,
  key: 1,
  broadcast: 0.5,
  map: 1,
  stream: 0.5,
  run: 1,
  proxy: 1,
  fed: 0.5,
  meet: 1,
  pair: 1,
  resize: 0.7,
  abort: 0.5,
  pause: 0.3,
};

/** Whether the answer waits for what was submitted. */
const AWAITED = {
  nothing: () => [],
  first: (promises) => promises.slice(0, 1),
  last: (promises) => promises.slice(-1),
  all: (promises) => promises,
};

export function burstFunctions(program) {
  const { random } = program;
  function submit(id, mayAwait) {
    if (program.hasStores && user.getStore() !== id)
      program.fault(`a function of the host for ${id} has the store of ${user.getStore()}`);
    if (random.chance(0.1)) throw new RangeError('its own');
    const promises = program.gather(() => {
      // For so few no further worker seems to be needed.
      if (random.chance(0.3)) return program.submit('nested', { id: program.tasks++ });
      for (let part = random.between(1, 3); part > 0; part--) program[`$${random.weighted(program.parts)}`]();
    });
    if (program.isPaused) setImmediate(() => program.$resume());
    return AWAITED[mayAwait ? random.of(Object.keys(AWAITED)) : 'nothing'](promises);
  }
  return {
    scatter(id) {
      submit(id, false);
      return id;
    },
    async burst(id) {
      await Promise.allSettled(submit(id, true));
      return id;
    },
    async burstLater(id) {
      for (let turn = random.between(1, 5); turn > 0; turn--) await new Promise(setImmediate);
      await Promise.allSettled(submit(id, true));
      return id;
    },
  };
}
