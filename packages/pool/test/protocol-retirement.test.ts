import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as realGate from '../dist/shared/gate.js';
import { MAIL_HEAD, MAIL_TAIL, STATE } from '../dist/shared/layout.js';
import * as slotState from '../dist/shared/slot-state.js';
import * as realTable from '../dist/shared/table.js';
import { explore } from './model.js';
import type { Shape } from './protocol-shape.js';
import { worldOf } from './protocol-world.js';

/**
 * Workers that retire, as `protocol.test.ts` has the rest of the protocol. The host's message may be long in coming, and so
 * may be the exit of the thread. From the message on a worker claims nothing that waits for all; it ends what it runs, and
 * its mail; and nobody waits for it afterwards. `PLIMSOLL_MODEL=full` visits every interleaving.
 */
const full = process.env.PLIMSOLL_MODEL === 'full';
const boundOf = ({ preemptions = 2 }: Partial<Shape>): number =>
  full ? Number.POSITIVE_INFINITY : preemptions;

/** The host wakes worker 1 first. */
const shapes: Record<string, Partial<Shape>> = {
  'before there is anything to do': { tasks: 2, quits: 1, quitsAfter: 0 },
  'that was woken for what waits for all': { tasks: 2, quits: 1, quitsAfter: 1, eager: true },
  'while it works': { tasks: 3, quits: 1, quitsAfter: 2, preemptions: 1 },
  'with mail': { tasks: 3, mail: [1, undefined, 1], quits: 1, quitsAfter: 2, preemptions: 1 },
  'with mail alone': { tasks: 2, mail: [1, 1], quits: 1 },
  'with mail that is cancelled': { tasks: 2, mail: [1, 1], cancel: 1, quits: 1 },
  'with a task that is cancelled': { tasks: 2, cancel: 0, quits: 1, preemptions: 1 },
  'with a task on which it sleeps': { tasks: 2, later: 0, quits: 1 },
  'with mail on which it sleeps': { tasks: 2, mail: [1], later: 0, quits: 1 },
  'with a task whose payload it asks for': { tasks: 2, pulls: [0], quits: 1, preemptions: 1 },
  'that spins': { tasks: 2, spinners: 1, quits: 1, preemptions: 1 },
  'that dies': { tasks: 2, mail: [1, undefined], quits: 1, deaths: 1, preemptions: 1 },
  'with a task that never ends': { tasks: 3, mail: [1], blocks: 0, quits: 1, quitsAfter: 1 },
  'with a stream that the host knows of': { tasks: 2, stream: 0, quits: 1, quitsAfter: 2 },
  'with a stream that the host may not know of': { tasks: 2, stream: 0, quits: 1, quitsAfter: 1 },
  'with a stream, woken for what waits for all': {
    tasks: 3,
    stream: 0,
    quits: 1,
    quitsAfter: 2,
    preemptions: 1,
  },
  'with a stream, and dies': { tasks: 2, stream: 0, quits: 1, quitsAfter: 1, deaths: 1, preemptions: 1 },
};

for (const [name, shape] of Object.entries(shapes)) {
  test(`a worker is told to retire ${name}`, (t) => {
    t.diagnostic(`${explore(worldOf({ slots: 2, ...shape }), boundOf(shape))} states`);
  });
}

/** Each breaks one line of the protocol. The checker must notice. */
const mutants: Record<string, Partial<Shape>> = {
  'a worker that retires claims what waits for all': {
    tasks: 2,
    quits: 1,
    protocol: { claimOwn: realTable.claim },
  },
  'a worker that retires claims no mail': {
    tasks: 2,
    mail: [1, 1],
    quits: 1,
    protocol: { claimOwn: () => -1 },
  },
  'a worker that retires claims its mail without comparing': {
    tasks: 2,
    mail: [1, 1],
    cancel: 1,
    quits: 1,
    protocol: {
      claimOwn({ words, layout }, worker) {
        const block = realTable.blockAt(layout, worker);
        const head = Atomics.load(words, block + MAIL_HEAD);
        if (head === Atomics.load(words, block + MAIL_TAIL)) return -1;
        const slot = Atomics.load(words, block + layout.mailRing + (head & (layout.mailbox - 1)));
        Atomics.store(words, realTable.slotAt(layout, slot) + STATE, slotState.RUNNING | (worker << 3));
        Atomics.store(words, block + MAIL_HEAD, head + 1);
        return slot;
      },
    },
  },
  'a worker that retires sleeps as others do': {
    tasks: 2,
    quits: 1,
    quitsAfter: 0,
    protocol: { retireItself: realGate.declareSleep },
  },
  'a worker that retires does not tell the host': {
    tasks: 2,
    quits: 1,
    quitsAfter: 1,
    eager: true,
    careless: 'silent',
  },
  'a worker that retires wakes the host only if that sleeps': {
    tasks: 2,
    quits: 1,
    quitsAfter: 1,
    eager: true,
    careless: 'rings',
  },
  'a worker that retires does not end what it runs': {
    tasks: 2,
    later: 0,
    quits: 1,
    careless: 'hasty',
  },
  'a worker that retires forgets its stream': {
    tasks: 2,
    stream: 0,
    quits: 1,
    quitsAfter: 1,
    careless: 'forgetful',
  },
  'the host mails tasks to a worker that retires': {
    tasks: 2,
    mail: [undefined, 1],
    quits: 1,
    quitsAfter: 1,
    careless: 'mails',
  },
};

for (const [name, shape] of Object.entries(mutants)) {
  test(`the checker notices when ${name}`, () => {
    const world = worldOf({ slots: 2, ...shape });
    assert.throws(() => explore(world, shape.preemptions ?? 2), assert.AssertionError);
  });
}
