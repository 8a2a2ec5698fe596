// The functions of the host that tasks of random programs call.

export function hostFunctions(program) {
  const { random } = program;
  return {
    back: (id) => id,
    backLater: async (id) => {
      for (let turn = random.between(0, 3); turn > 0; turn--) await new Promise(setImmediate);
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
      random.of(program.controllers)?.abort('called');
      return id;
    },
    nests: async () => {
      const promise = program.pool.run({ id: program.tasks++ });
      program.watch('nested', promise);
      await promise;
    },
  };
}
