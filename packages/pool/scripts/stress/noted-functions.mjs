import { blocks, callingItems, calls, leaves } from './calling.mjs';
import * as meetings from './meetings.mjs';

/**
 * The functions of a random program, for a pool without threads; `program-functions.mjs` has those for threads.
 *
 * @param mayRunTwice whether a task may run again
 * @param fault is told when one does that may not
 */
export function notedFunctions(disposes, mayRunTwice, fault) {
  const ran = new Map();
  const note = (task) => {
    const id = task?.id;
    if (id === undefined) return;
    const times = (ran.get(id) ?? 0) + 1;
    ran.set(id, times);
    if (times > 1 && !mayRunTwice()) fault('a function ran twice for one task');
  };
  return {
    ...meetings,
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
    calls(task) {
      note(task);
      return calls(task);
    },
    blocks(task) {
      note(task);
      return blocks(task);
    },
    leaves(task) {
      note(task);
      return leaves(task);
    },
    callingItems,
    async sum(items) {
      let sum = 0;
      for await (const item of items) sum += item;
      return sum;
    },
    setup() {},
    ...(disposes ? { dispose() {} } : {}),
  };
}
