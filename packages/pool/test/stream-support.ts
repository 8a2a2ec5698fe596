import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import type { Pool, PoolOptions } from '@plimsoll/pool';
import { fixture, poolFor } from './support.js';

export const LONG = 60_000;
export const numbers = (count: number): number[] => Array.from({ length: count }, (_, index) => index);
export const counter = (): Int32Array => new Int32Array(new SharedArrayBuffer(4));

export function poolOf(t: TestContext, options: PoolOptions = {}): Pool {
  const pool = poolFor(t, { filename: fixture('streams.mjs'), ...options });
  pool.on('error', () => {});
  return pool;
}

export interface Told {
  readonly seen: unknown[];
  readonly thread: number;
}
export const told = async (pool: Pool): Promise<Told> => (await pool.run(0, { name: 'told' })) as Told;

/** What the functions note first, which may be after their loops are over. */
export async function firstSeen(pool: Pool): Promise<unknown[]> {
  for (;;) {
    const { seen } = await told(pool);
    if (seen.length > 0) return seen;
  }
}

export async function listOf(items: AsyncIterable<unknown>): Promise<unknown[]> {
  const list: unknown[] = [];
  for await (const item of items) list.push(item);
  return list;
}

/** What came before a loop failed, and with what it did. */
export async function failure(
  items: AsyncIterable<unknown>,
): Promise<[unknown[], Error & { code?: string }]> {
  const list: unknown[] = [];
  try {
    for await (const item of items) list.push(item);
  } catch (error) {
    return [list, error as Error];
  }
  return assert.fail('the loop ended well');
}
