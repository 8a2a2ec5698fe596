import assert from 'node:assert/strict';
import { createHook } from 'node:async_hooks';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { Pool } from '@plimsoll/pool';
import { observe } from '@plimsoll/pool/observe';
import { Piscina } from '@plimsoll/pool/piscina';
import { fixture } from './support.js';

/** What is made and over by itself: promises, turns of the event loop, and what says so when it is collected. */
const PASSING = ['PROMISE', 'Immediate', 'Piscina.Task'];

/** Async resources that may keep a process alive, as jest's --detectOpenHandles sees them. */
function watchHandles(): { open(): string[]; stop(): void } {
  const handles = new Map<number, { type: string; resource: object }>();
  const hook = createHook({
    init(id, type, _trigger, resource) {
      if (!PASSING.includes(type)) handles.set(id, { type, resource });
    },
    destroy: (id) => void handles.delete(id),
  }).enable();
  const isOpen = ({ resource }: { resource: object }): boolean =>
    'hasRef' in resource ? (resource as NodeJS.Timeout).hasRef() : true;
  return {
    open: () => [...handles.values()].filter(isOpen).map(({ type }) => type),
    stop: () => void hook.disable(),
  };
}

const options = { filename: fixture('tasks.mjs'), minThreads: 1, maxThreads: 2 };
const KINDS = {
  Pool: () => new Pool(options),
  'Pool that explains': () => {
    const pool = new Pool({ ...options, explain: true });
    observe(pool);
    return pool;
  },
  Piscina: () => new Piscina({ ...options, filename: options.filename.href }),
};

for (const [kind, make] of Object.entries(KINDS)) {
  for (const end of ['close', 'destroy'] as const) {
    test(`a ${kind} leaves nothing open after ${end}()`, async () => {
      const watch = watchHandles();
      try {
        const pool = make();
        assert.ok(watch.open().length > 0);
        await pool.run(1, { name: 'echo' });
        await pool.run(30, { name: 'sleep' });
        await pool[end]();
        await pool[end]();
        const latest = performance.now() + 30_000;
        while (watch.open().length > 0 && performance.now() < latest) await setImmediate();
        assert.deepEqual(watch.open(), []);
      } finally {
        watch.stop();
      }
    });
  }
}
