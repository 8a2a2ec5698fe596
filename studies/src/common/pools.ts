import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { Pool, type PoolOptions } from '@plimsoll/pool';
import { Piscina } from 'piscina';

/** What the programs of the studies use of a pool; ours and Piscina have it under the same names. */
export interface AnyPool {
  run(task: unknown, options?: { name?: string; transferList?: unknown[] }): Promise<unknown>;
  on(event: 'drain' | 'workerCreate', listener: () => void): unknown;
  off(event: 'drain' | 'workerCreate', listener: () => void): unknown;
  /** Ends its workers; what waits is refused. */
  destroy(): Promise<void>;
  readonly queueSize: number;
  readonly completed: number;
  readonly histogram: {
    readonly waitTime: { readonly mean: number; readonly max: number };
    resetWaitTime(): void;
  };
}

export type Library = 'plimsoll' | 'piscina';

/** Workers where a study fixes their number: one per core, as far as they help. */
export const CORES = availableParallelism();

/** A pool of either library with the same options; everything else is as it comes. */
export function openPool(library: string, worker: URL, options: PoolOptions = {}): AnyPool {
  if (library === 'plimsoll') return new Pool({ filename: worker, ...options }) as unknown as AnyPool;
  if (library === 'piscina')
    return new Piscina({ filename: fileURLToPath(worker), ...(options as object) }) as unknown as AnyPool;
  throw new Error(`there is no pool ${library}`);
}
