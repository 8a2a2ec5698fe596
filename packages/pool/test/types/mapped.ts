import type { Pool } from '@plimsoll/pool';

// Compiled, never run: each line that is wrong ends the build.

interface Api {
  double(value: number): number;
  later(text: string): Promise<string[]>;
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
