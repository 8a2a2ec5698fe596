import type { Pool } from '@plimsoll/pool';

// Compiled, never run: each line that is wrong ends the build.

interface Api {
  double(value: number): number;
  later(text: string): Promise<string[]>;
  rows(path: string): Generator<{ row: number }>;
  rowsLater(path: string): AsyncGenerator<Uint8Array>;
}

declare const pool: Pool<Api>;
declare const plain: Pool;

export async function results(): Promise<void> {
  for await (const result of pool.map([1, 2], { name: 'double' })) result.toFixed();
  for await (const result of pool.map(new Set(['a']), { name: 'later' })) result.join();
  // @ts-expect-error what comes of a pool without a module is not known
  for await (const result of plain.map([1], { name: 'double' })) result.toFixed();
  // @ts-expect-error a string is no number
  pool.map(['1'], { name: 'double' });
  // @ts-expect-error not a function of the module
  pool.map([1], { name: 'triple' });
  // @ts-expect-error no list for many items
  pool.map([1], { name: 'double', transferList: [] });
}

export async function streams(): Promise<void> {
  for await (const item of pool.stream('a', { name: 'rows' })) item.row.toFixed();
  for await (const item of pool.stream('a', { name: 'rowsLater' })) item.subarray();
  for await (const item of pool.stream('a', { name: 'later' })) item.toUpperCase();
  // @ts-expect-error what comes of a pool without a module is not known
  for await (const item of plain.stream('a', { name: 'rows' })) item.row;
  // @ts-expect-error a number is no string
  pool.stream(1, { name: 'rows' });
  // @ts-expect-error not a function of the module
  pool.stream('a', { name: 'columns' });
  // @ts-expect-error what `double` returns cannot be iterated
  pool.stream(1, { name: 'double' });
}
