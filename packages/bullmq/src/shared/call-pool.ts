import type { Pool, RunOptions } from '@plimsoll/pool';

type Call = (...items: unknown[]) => Promise<unknown>;

/**
 * Runs a function of the pool's worker file, with one task or with a list of arguments.
 *
 * @param spread the task is that list
 */
export function callPool(
  pool: Pool,
  name: string,
  task: unknown,
  spread: boolean,
  options: RunOptions,
): Promise<unknown> {
  if (!spread) return pool.run(task, { ...options, name });
  const proxy = pool.proxy(options) as Record<string, Call>;
  return (proxy[name] as Call)(...(task as unknown[]));
}
