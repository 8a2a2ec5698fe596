import { freemem } from 'node:os';

/** Node's own threads beside the pool: V8's, the inspector's, the main one. */
const OTHER_THREADS = 12;
/** A pool thread has a stack of up to 8 MB, of which work touches little (libuv, src/unix/thread.c). */
const BYTES_PER_THREAD = 2 ** 20;
/** Not all that is free is ours to take. */
const SHARE = 0.8;

export interface Room {
  /** How many threads may still be made; `null`: no limit known. */
  readonly threads: number | null;
  /** Free memory. */
  readonly bytes: number;
}

/** What this machine has room for. */
export const roomOf = ({ pidsHeadroom }: { readonly pidsHeadroom: number | null }): Room => ({
  threads: pidsHeadroom,
  bytes: process.availableMemory?.() ?? freemem(),
});

/**
 * Part the sizes into groups whose processes can live at the same time, each group beside the baseline and its twin. A size that
 * does not even fit by itself gets a group of its own: its process will say what is missing.
 *
 * @param processBytes what a process of the baseline held.
 * @returns at least one group; it is empty when there is nothing but the baseline.
 * @example
 * groupsThatFit([2, 8, 64], 4, { threads: 120, bytes: 2 ** 33 }, 2 ** 26); // [[2, 8], [64]]
 */
export function groupsThatFit(
  sizes: readonly number[],
  baseline: number,
  room: Room,
  processBytes: number,
): number[][] {
  const threads = (size: number): number => size + OTHER_THREADS;
  const bytes = (size: number): number => processBytes + size * BYTES_PER_THREAD;
  const fits = (group: readonly number[]): boolean => {
    const all = [...group, baseline, baseline];
    const sum = (of: (size: number) => number): number => all.reduce((total, size) => total + of(size), 0);
    return (
      sum(threads) <= SHARE * (room.threads ?? Number.POSITIVE_INFINITY) && sum(bytes) <= SHARE * room.bytes
    );
  };
  const groups: number[][] = [[]];
  for (const size of sizes.filter((one) => one !== baseline)) {
    const last = groups.at(-1) as number[];
    if (last.length === 0 || fits([...last, size])) last.push(size);
    else groups.push([size]);
  }
  return groups;
}
