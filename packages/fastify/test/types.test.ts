import assert from 'node:assert/strict';
import { test } from 'node:test';
import { plimsollPool } from '@plimsoll/fastify';
import { fastify as create } from 'fastify';
import { fixture } from './support.js';

declare module '@plimsoll/fastify' {
  interface PoolModules {
    typed: {
      default(task: { a: number; b: number }): number;
      twice(value: number): Promise<number>;
    };
  }
}

test('runTask is typed by the module of its pool', async (t) => {
  const fastify = create();
  t.after(() => fastify.close());
  await fastify.register(plimsollPool, { filename: fixture('tasks.mjs'), namespace: 'typed' });
  const sum: number = await fastify.runTask({ a: 1, b: 2 }, { pool: 'typed' });
  const doubled: number = await fastify.runTask(2, { pool: 'typed', name: 'twice' });
  const same: number = await fastify.pools.typed.run(2, { name: 'twice' });
  assert.deepEqual([sum, doubled, same], [3, 4, 4]);
  const wrong = (): unknown[] => [
    // @ts-expect-error the task of `twice` is a number
    fastify.runTask('2', { pool: 'typed', name: 'twice' }),
    // @ts-expect-error the module has no such function
    fastify.runTask(2, { pool: 'typed', name: 'thrice' }),
    // @ts-expect-error the default function takes an object
    fastify.runTask(2, { pool: 'typed' }),
    // @ts-expect-error options are the plugin's
    fastify.register(plimsollPool, { retryAfter: 'soon' }),
  ];
  assert.equal(typeof wrong, 'function');
});
